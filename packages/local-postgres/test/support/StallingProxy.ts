/** A proxy before the server that can stop forwarding, as a network that drops packets, or lose one answer. */
import { connect as dial, type Socket } from "node:net"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Listener from "./Listener.ts"

/** Forwards to this port. */
export const make = (to: number): Effect.Effect<StallingProxy, never, Scope.Scope> =>
  Effect.gen(function* () {
    const sockets = new Set<Socket>()
    const callers = new Set<Socket>()
    // Those whose other side closed while nothing was forwarded.
    const abandoned = new Set<Socket>()
    let sent = ""
    let isStalled = false
    let unanswered: string | undefined
    let stallsThen = false
    const port = yield* Listener.make((caller) => {
      callers.add(caller)
      caller.on("close", () => callers.delete(caller))
      const callee = dial(to, "127.0.0.1")
      let isUnanswered = false
      const pass = (from: Socket, into: Socket) => {
        sockets.add(from)
        from.on("data", (data) => {
          if (isStalled) return
          if (from === caller) {
            const text = data.toString("latin1")
            sent += text
            isUnanswered ||= unanswered !== undefined && text.includes(unanswered)
            if (isUnanswered) unanswered = undefined
          } else if (isUnanswered) {
            isStalled = stallsThen
            return stallsThen || caller.destroy()
          }
          return into.write(data)
        })
        from.on("error", () => {})
        from.on("close", () => {
          sockets.delete(from)
          if (isStalled) abandoned.add(into)
          else into.destroy()
        })
      }
      pass(caller, callee)
      pass(callee, caller)
    })
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        for (const socket of sockets) socket.destroy()
      })
    )
    return {
      port,
      stall: () => {
        isStalled = true
      },
      loseAnswer: (request, how) => {
        unanswered = request
        stallsThen = how === "stall"
      },
      resume: () => {
        isStalled = false
        for (const socket of abandoned) socket.destroy()
        abandoned.clear()
      },
      sent: () => sent,
      connections: () => callers.size
    }
  })

/** A proxy that runs. */
export interface StallingProxy {
  readonly port: number
  /** Drops everything from now on; connections stay open. */
  readonly stall: () => void
  /** Drops the answer to the next request with this text, and closes its connection or stalls then. */
  readonly loseAnswer: (request: string, how: "close" | "stall") => void
  /** Forwards again. What was dropped is lost, but connections that were closed meanwhile are closed. */
  readonly resume: () => void
  /** Everything that was forwarded to the server. */
  readonly sent: () => string
  /** How many connections to the proxy are open. */
  readonly connections: () => number
}
