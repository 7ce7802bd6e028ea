/** Serves one text, such as metrics, on a port of its own. */
import * as Http from "node:http"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { ListenFailed } from "./ListenFailed.ts"

/** Where to listen. */
export interface Address {
  readonly host: string
  readonly port: number
}

/** A text that is made when it is asked for. */
export interface Text {
  /** Its media type. */
  readonly type: string
  readonly read: () => Promise<string>
}

/** Serves the text at this path until the scope closes. */
export const serve = (
  { host, port }: Address,
  path: string,
  { read, type }: Text
): Effect.Effect<Http.Server, ListenFailed, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<Http.Server, ListenFailed>((resume) => {
      const server = Http.createServer(({ method, url }, response) => {
        if (url?.split("?")[0] !== path) return void response.writeHead(404).end()
        if (method !== "GET" && method !== "HEAD") return void response.writeHead(405).end()
        read().then(
          (text) => response.writeHead(200, { "Content-Type": type }).end(text),
          (error) => response.writeHead(500).end(String(error))
        )
      })
      server.on("error", (cause) => resume(Effect.fail(new ListenFailed({ host, port, cause }))))
      server.listen(port, host, () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )
