/** Liveness and readiness; no authentication. */
import type { ApiKeys } from "@petstore/access/ApiKeys"
import { PageLimit } from "@petstore/domain/PetPage"
import type { Pets } from "@petstore/domain/Pets"
import * as Effect from "effect/Effect"
import type { Exchange } from "./Exchange.ts"
import * as Reply from "./Reply.ts"
import * as Routes from "./Routes.ts"

const livePath = "/healthz"
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

const outdated = Reply.fail("unavailable", "the API keys cannot be read")
const stopping = Reply.fail("unavailable", "the service is shutting down")

/** The two probes: the process answers; keys are current, and the store answers within two seconds. */
export const routes = (
  pets: Pets["Type"],
  apiKeys: ApiKeys["Type"],
  isStopping: () => boolean
): ReadonlyArray<Routes.Route<void>> => {
  const ready = pets.list({ limit: PageLimit.make(1) }).pipe(
    Effect.disconnect,
    Effect.timeout("2 seconds"),
    Effect.matchCauseEffect({
      onFailure: () => Reply.fail("unavailable", "the store does not answer"),
      onSuccess: () => ok
    })
  )
  return [
    Routes.get(livePath, () => ok),
    Routes.get("/readyz", () => {
      if (isStopping()) return stopping
      return apiKeys.isCurrent() ? ready : outdated
    })
  ]
}
