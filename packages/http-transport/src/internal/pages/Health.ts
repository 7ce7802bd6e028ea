/** Liveness and readiness; no authentication. */

import { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as ErrorBody from "../../ErrorBody.ts"
import type { Exchange } from "../exchange/Exchange.ts"
import * as Reply from "../exchange/Reply.ts"
import * as Routes from "../exchange/Routes.ts"

const livePath = "/healthz"
const readyPath = "/readyz"
/** The paths of the probes. */
export const paths: ReadonlyArray<string> = [livePath, readyPath]
const ok = Effect.succeed({ status: 200, headers: [], body: Reply.json('{"status":"ok"}') })

const notServing =
  (message: string) =>
  ({ path, request }: Exchange): Effect.Effect<Reply.Reply, Reply.Reply> =>
    path === livePath && (request.method === "GET" || request.method === "HEAD")
      ? ok
      : Reply.fail("unavailable", message)

/** Answers everything while the service starts. */
export const starting = notServing("the service is starting")

/** Answers requests that are shed under overload. */
export const overloaded = notServing("the service is overloaded")

/** The same answer as requests get, if the store says what is wrong. Other errors may hold secrets. */
const refusalOf = (cause: unknown) =>
  Reply.refuse(
    "unavailable",
    cause instanceof StoreUnavailable ? cause.message : "the store does not answer"
  )
const stopping = Reply.fail("unavailable", "the service is shutting down")

/** The two probes: the process answers; callers can be authenticated, and the service is ready within two seconds. */
export const routes = (
  probe: Effect.Effect<unknown, unknown>,
  canAuthenticate: () => boolean,
  isStopping: () => boolean
): ReadonlyArray<Routes.Route<void>> => {
  const outdated = Reply.fail("unavailable", ErrorBody.keysUnreadable)
  const ready = probe.pipe(
    Effect.disconnect,
    Effect.timeout("2 seconds"),
    Effect.matchCauseEffect({
      onFailure: (failure) => {
        const cause = Cause.squash(failure)
        return Exit.fail({ ...refusalOf(cause), cause })
      },
      onSuccess: () => ok
    })
  )
  return [
    Routes.get(livePath, () => ok),
    Routes.get(readyPath, () => {
      if (isStopping()) return stopping
      return canAuthenticate() ? ready : outdated
    })
  ]
}
