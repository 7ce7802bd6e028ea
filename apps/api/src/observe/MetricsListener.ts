/** Serves metrics for Prometheus, on a port of their own. */
import type { ListenFailed } from "@petstore/http-transport/NodeServer"
import * as NodeServer from "@petstore/http-transport/NodeServer"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

const path = "/metrics"

/** The media type of Prometheus's text format. */
const type = "text/plain; version=0.0.4; charset=utf-8"

/** How long a text is served, in milliseconds. */
const maxAge = 1000

/** Calls this at most once a second: those who ask meanwhile share the result. */
const shared = (read: () => Promise<string>) => {
  let latest: Promise<string> | undefined
  const forget = () => {
    latest = undefined
  }
  return () => {
    latest ??= read().finally(() => setTimeout(forget, maxAge).unref())
    return latest
  }
}

/** Serves metrics at `/metrics` of this address until the scope closes. They are read when they are asked for. */
export const serve = (
  address: NodeServer.Address,
  readNow: () => Promise<string>
): Effect.Effect<void, ListenFailed, Scope.Scope> => {
  const read = shared(readNow)
  return NodeServer.serve(address, ({ method, url }, response) => {
    if (url?.split("?")[0] !== path) return void response.writeHead(404).end()
    if (method !== "GET" && method !== "HEAD") {
      return void response.writeHead(405, { Allow: "GET, HEAD" }).end()
    }
    read().then(
      (text) => response.writeHead(200, { "Content-Type": type }).end(text),
      (error) => response.writeHead(500).end(String(error))
    )
  }).pipe(Effect.flatMap(({ url }) => Effect.logInfo(`metrics at ${url}${path}`)))
}
