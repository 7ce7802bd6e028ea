/** Servers in the place of PostgreSQL, which tests write. */
import { createServer, connect as dial, type Socket } from "node:net"
import { pipeline } from "node:stream"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** The port of a server that does this with each connection, until the scope closes. */
export const make = (
  accept: (caller: Socket) => unknown
): Effect.Effect<number, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<{ readonly port: number; readonly close: () => void }>((resume) => {
      const server = createServer(accept).listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address ? address.port : 0
        resume(Effect.succeed({ port, close: () => server.close() }))
      })
    }),
    ({ close }) => Effect.sync(close)
  ).pipe(Effect.map(({ port }) => port))

/** Forwards a connection to a port. */
export const forward = (caller: Socket, to: number): void => {
  pipeline(caller, dial(to, "127.0.0.1"), caller, () => {})
}

/** The port of a proxy that forwards each connection to a port, after this many milliseconds. */
export const slowly = (to: number, millis: number): Effect.Effect<number, never, Scope.Scope> =>
  make((caller) => {
    caller.on("error", () => {})
    setTimeout(() => forward(caller, to), millis)
  })
