/** Serves one text, such as metrics, on a port of its own. */
import * as Http from "node:http"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type Address, boundAddress, listen } from "./internal/Listening.ts"
import type { ListenFailed } from "./ListenFailed.ts"

export type { Address }

/** A text that is made when it is asked for. */
export interface Text {
  /** Its media type. */
  readonly type: string
  readonly read: () => Promise<string>
}

/** Serves the text at this path until the scope closes. Succeeds with its URL. */
export const serve = (
  address: Address,
  path: string,
  { read, type }: Text
): Effect.Effect<string, ListenFailed, Scope.Scope> =>
  Effect.suspend(() => {
    const server = Http.createServer(({ method, url }, response) => {
      if (url?.split("?")[0] !== path) return void response.writeHead(404).end()
      if (method !== "GET" && method !== "HEAD") {
        return void response.writeHead(405, { Allow: "GET, HEAD" }).end()
      }
      read().then(
        (text) => response.writeHead(200, { "Content-Type": type }).end(text),
        (error) => response.writeHead(500).end(String(error))
      )
    })
    const close = Effect.sync(() => {
      server.close()
      server.closeAllConnections()
    })
    return Effect.acquireRelease(listen(server, address), () => close).pipe(
      Effect.map(() => `${boundAddress(server, address).url}${path}`)
    )
  })
