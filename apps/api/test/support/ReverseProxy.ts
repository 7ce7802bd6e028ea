/** A reverse proxy whose target can be changed while it serves, as nginx and Caddy do when they reload. */
import { Agent, createServer, request } from "node:http"
import type { AddressInfo } from "node:net"
import { pipeline } from "node:stream"
import { Effect, type Scope } from "effect"

/** A running proxy. */
export interface ReverseProxy {
  readonly url: string
  /** Sends the requests that arrive from now on to this server. */
  readonly switchTo: (target: string) => void
}

/** Starts a proxy, closed with the scope. What it cannot pass on, it answers with 502. */
export const start = (first: string): Effect.Effect<ReverseProxy, never, Scope.Scope> =>
  Effect.gen(function* () {
    let target = first
    const agent = new Agent({ keepAlive: true })
    const server = createServer((incoming, outgoing) => {
      const { headers, method, url } = incoming
      const passed = request(`${target}${url}`, { agent, headers, method }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        pipeline(answer, outgoing, () => {})
      })
      passed.on("error", () => outgoing.writeHead(502).end('{"code":"bad_gateway"}'))
      pipeline(incoming, passed, () => {})
    })
    yield* Effect.acquireRelease(
      Effect.async<void>((resume) => {
        server.listen(0, "127.0.0.1", () => resume(Effect.void))
      }),
      () =>
        Effect.sync(() => {
          server.closeAllConnections()
          server.close()
          agent.destroy()
        })
    )
    const { port } = server.address() as AddressInfo
    return {
      url: `http://127.0.0.1:${port}`,
      switchTo: (next) => {
        target = next
      }
    }
  })
