/** A proxy before PostgreSQL that knows where the messages of its protocol begin and end. */
import { connect, createServer, type Socket } from "node:net"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Counts } from "./Figures.ts"
import * as Http from "./Http.ts"

/** A number of messages; a connection without one is not cut. */
type Lifetime = (() => number) | undefined

/** A proxy that can cut connections, and hold everything back. */
export interface PostgresProxy {
  readonly port: number
  /** After how many messages, of both sides, each new connection is cut; those that are open are cut at their next. */
  readonly cut: (lifetime: Lifetime) => void
  /** Forwards nothing while it is set. */
  readonly hold: (isHeld: boolean) => void
  /** How many connections were cut, by the message after which they were. */
  readonly cuts: Counts<string>
}

/** Starts a proxy before this port, which ends with the scope. */
export const make = (target: number): Effect.Effect<PostgresProxy, never, Scope.Scope> =>
  Effect.gen(function* () {
    const sockets = new Set<Socket>()
    const cuts = new Counts<string>()
    let lifetime: Lifetime
    let isHeld = false
    const serve = (client: Socket) => {
      const server = connect({ host: "127.0.0.1", port: target })
      const end = () => {
        client.destroy()
        server.destroy()
      }
      let left = lifetime?.()
      const isLast = (message: string) => {
        if (lifetime === undefined) left = undefined
        else left = (left ?? 1) - 1
        if (left === undefined || left > 0) return false
        cuts.add(message)
        return true
      }
      const forward = (from: Socket, to: Socket, take: Take, side: string) => {
        let rest: Buffer = Buffer.alloc(0)
        sockets.add(from)
        if (isHeld) from.pause()
        from.setNoDelay(true)
        from.on("error", end).once("close", () => {
          sockets.delete(from)
          end()
        })
        from.on("data", (chunk) => {
          rest = Buffer.concat([rest, chunk])
          const whole: Array<Buffer> = []
          for (let found = take(rest); found !== undefined; found = take(rest)) {
            rest = rest.subarray(found.bytes.length)
            whole.push(found.bytes)
            if (!isLast(`${side} ${found.type}`)) continue
            // What came before arrives.
            from.pause()
            return to.write(Buffer.concat(whole), end)
          }
          if (whole.length > 0) to.write(Buffer.concat(whole))
          return undefined
        })
      }
      forward(client, server, requests(), "client")
      forward(server, client, message, "server")
    }
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        for (const socket of sockets) socket.destroy()
      })
    )
    const port = yield* Http.listen(createServer(serve))
    return {
      port,
      cuts,
      cut: (next) => {
        lifetime = next
      },
      hold: (held) => {
        isHeld = held
        for (const socket of sockets) held ? socket.pause() : socket.resume()
      }
    }
  })

/** The first message of these bytes, if it is whole, and its type. */
type Take = (bytes: Buffer) => { type: string; bytes: Buffer } | undefined

/** A type, and a length that includes itself. */
const message: Take = (bytes) => {
  const length = bytes.length < 5 ? Infinity : 1 + bytes.readInt32BE(1)
  if (bytes.length < length) return undefined
  return { type: String.fromCharCode(bytes[0] ?? 0), bytes: bytes.subarray(0, length) }
}

/** The first message of a client has no type. */
const requests = (): Take => {
  let isFirst = true
  return (bytes) => {
    if (!isFirst) return message(bytes)
    const length = bytes.length < 4 ? Infinity : bytes.readInt32BE(0)
    if (bytes.length < length) return undefined
    isFirst = false
    return { type: "start", bytes: bytes.subarray(0, length) }
  }
}
