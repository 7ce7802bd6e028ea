/** Serves metrics for Prometheus, on a port of their own. */
import type { ListenFailed } from "@petstore/http-transport/ListenFailed"
import * as Listening from "@petstore/http-transport/Listening"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

const path = "/metrics"

/** The media type of Prometheus's text format. */
const type = "text/plain; version=0.0.4; charset=utf-8"

/** Serves metrics at `/metrics` of this address until the scope closes. They are read when they are asked for. */
export const serve = (
  address: Listening.Address,
  read: () => Promise<string>
): Effect.Effect<void, ListenFailed, Scope.Scope> =>
  Listening.serve(address, ({ method, url }, response) => {
    if (url?.split("?")[0] !== path) return void response.writeHead(404).end()
    if (method !== "GET" && method !== "HEAD") {
      return void response.writeHead(405, { Allow: "GET, HEAD" }).end()
    }
    read().then(
      (text) => response.writeHead(200, { "Content-Type": type }).end(text),
      (error) => response.writeHead(500).end(String(error))
    )
  }).pipe(Effect.flatMap(({ url }) => Effect.logInfo(`metrics at ${url}${path}`)))
