/** Who calls: what the bearer token of a request allows. */

import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** A caller, as its token describes it. */
export interface Caller {
  /** Identifies the caller in logs, such as the id of an API key. */
  readonly id?: string
  /** Unique to each caller: rate limits and idempotency keys are per caller. */
  readonly digest: string
  /** What it may do, in the words of the contract. */
  readonly scopes: ReadonlyArray<string>
}

/** Why a token is not accepted. */
export interface Refusal {
  /** A word for logs. `outdated` means that it cannot be checked now, and is answered with 503. */
  readonly reason: string
  readonly id?: string
}

/** Authenticates callers. */
export class Authentication extends Context.Tag("@petstore/http-transport/Authentication")<
  Authentication,
  {
    /** The caller with this token. Called on every request; an `Exit` is an Effect that needs no fiber. */
    readonly authenticate: (token: string) => Effect.Effect<Caller, Refusal>
    /** Whether tokens can be checked. If not, the service is not ready. */
    readonly isReady: () => boolean
  }
>() {}
