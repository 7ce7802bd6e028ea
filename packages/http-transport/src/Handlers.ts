/** The handlers of an API: what a request is answered with. */
import { hash } from "node:crypto"
import type * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import type * as Effect from "effect/Effect"
import type { Caller } from "./Authentication.ts"
import * as ErrorBody from "./ErrorBody.ts"
import type { Headers } from "./internal/exchange/Reply.ts"

export type { Headers }

/** A success and the headers that go with it. */
export interface Success<A> {
  readonly body: A
  readonly headers?: Headers
}

/** An error of the contract and, for the log, what it comes from. */
export interface Failure<E> {
  readonly body: E
  readonly cause?: unknown
  /** After how many seconds to try again, if the status is 503: 1 unless given. */
  readonly retryAfter?: number | undefined
}

/** One handler for each endpoint of these groups, by its name; its types are those of the contract. */
export type Handlers<in out Groups extends HttpApiGroup.HttpApiGroup.Any> = {
  readonly [E in HttpApiGroup.HttpApiGroup.Endpoints<Groups> as E["name"]]: (request: {
    readonly caller: Caller
    readonly path: HttpApiEndpoint.HttpApiEndpoint.PathParsed<E>
    readonly urlParams: HttpApiEndpoint.HttpApiEndpoint.UrlParams<E>
    readonly headers: HttpApiEndpoint.HttpApiEndpoint.Headers<E>
    readonly payload: HttpApiEndpoint.HttpApiEndpoint.Payload<E>
  }) => Effect.Effect<
    Success<HttpApiEndpoint.HttpApiEndpoint.Success<E>>,
    Failure<Extract<HttpApiEndpoint.HttpApiEndpoint.Error<E>, ErrorBody.ErrorBody>>
  >
}

/**
 * The answer to a create: what was added, and the path to it, with the prefix of the API. `isRepeat` says that an earlier
 * request had added it.
 */
export const created = <A>(path: string, body: A, isRepeat = false) => {
  const location = ["Location", path] as const
  const headers: Headers = isRepeat ? [location, ["Idempotent-Replayed", "true"]] : [location]
  return { body, headers }
}

/** The `Idempotency-Key` of a caller as a store keeps it: unique to the caller, and of the same length for all. */
export const idempotencyKeyOf = (caller: Caller, key: string): string =>
  hash("sha256", `${caller.digest} ${key}`)

/** The failure of a handler whose store is unavailable. */
export const unavailable = (cause: StoreUnavailable) => ({
  body: ErrorBody.make("unavailable", cause.message),
  cause,
  retryAfter: lasts(cause) ? 30 : undefined
})

/** Space is not freed within a second, and a store that was set to be read-only, which has no cause, stays so for longer. */
const lasts = ({ cause, reason }: StoreUnavailable): boolean =>
  reason === "full" || (reason === "read-only" && cause === undefined)
