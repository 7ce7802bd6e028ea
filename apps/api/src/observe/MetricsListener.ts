/** The port of metrics for Prometheus. */
import type { ListenFailed } from "@petstore/http-server/ListenFailed"
import * as TextListener from "@petstore/http-server/TextListener"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** The media type of Prometheus's text format. */
const type = "text/plain; version=0.0.4; charset=utf-8"

/** Serves metrics at `/metrics` of this address, for as long as the scope is open. */
export const serve = (
  address: TextListener.Address,
  read: () => Promise<string>
): Effect.Effect<void, ListenFailed, Scope.Scope> =>
  Effect.flatMap(TextListener.serve(address, "/metrics", { type, read }), (url) =>
    Effect.logInfo(`metrics at ${url}`)
  )
