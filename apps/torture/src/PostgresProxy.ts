/** A proxy before PostgreSQL that cuts connections, and holds everything back. */
import { connect, createServer, type Socket } from "node:net"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Http from "./Http.ts"

/** A number of bytes; a connection without one is not cut. */
type Lifetime = (() => number) | undefined

/** A proxy that can cut connections, and hold everything back. */
export interface PostgresProxy {
  readonly port: number
  /** After how many bytes, of both sides, each new connection is cut; those that are open are cut at their next. */
  readonly cut: (lifetime: Lifetime) => void
  /** Forwards nothing while it is set. */
  readonly hold: (isHeld: boolean) => void
  /** How many connections were cut. */
  readonly cuts: () => number
}

/** Starts a proxy before this port, which ends with the scope. */
export const make = (target: number): Effect.Effect<PostgresProxy, never, Scope.Scope> =>
  Effect.gen(function* () {
    const sockets = new Set<Socket>()
    let cuts = 0
    let lifetime: Lifetime
    let isHeld = false
    const serve = (client: Socket) => {
      const server = connect({ host: "127.0.0.1", port: target })
      const end = () => {
        client.destroy()
        server.destroy()
      }
      let left = lifetime?.()
      const forward = (from: Socket, to: Socket) => {
        sockets.add(from)
        if (isHeld) from.pause()
        from.setNoDelay(true)
        from.on("error", end).once("close", () => {
          sockets.delete(from)
          end()
        })
        from.on("data", (chunk) => {
          left = lifetime === undefined ? undefined : (left ?? 1) - chunk.length
          if (left === undefined || left > 0) return to.write(chunk)
          cuts += 1
          from.pause()
          // What came before arrives.
          return to.write(chunk.subarray(0, left + chunk.length), end)
        })
      }
      forward(client, server)
      forward(server, client)
    }
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        for (const socket of sockets) socket.destroy()
      })
    )
    const port = yield* Http.listen(createServer(serve))
    return {
      port,
      cuts: () => cuts,
      cut: (next) => {
        lifetime = next
      },
      hold: (held) => {
        isHeld = held
        for (const socket of sockets) held ? socket.pause() : socket.resume()
      }
    }
  })
