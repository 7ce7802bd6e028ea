/** Lets requests finish when the service stops. */
import type * as Http from "node:http"
import type { Socket } from "node:net"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { Address } from "../../NodeServer.ts"
import type { Connection } from "./Connection.ts"
import * as MalformedRequest from "./MalformedRequest.ts"

/** How long connections without a request have to send one, and callers to read their last answer: no longer than requests. */
const maxGrace = Duration.seconds(1)

/** How a server is drained. */
export interface Options extends Pick<Address, "fd"> {
  /** How long requests in flight may take to finish. */
  readonly drainTimeout: Duration.DurationInput
}

/** When to look at the connections. */
const looks = Schedule.spaced("10 millis")

/** Lets the requests of a server finish, for as long as the timeout allows, and answers the rest with 503. */
export const run = (
  server: Http.Server,
  connections: ReadonlyMap<Socket, Connection>,
  { drainTimeout, fd }: Options
) => {
  const grace = Duration.min(maxGrace, drainTimeout)
  /** Completes when this holds for all connections. */
  const every = (isDone: (connection: Connection) => boolean) =>
    Effect.sync(() => Array.from(connections.values()).every(isDone)).pipe(
      Effect.repeat({ until: (holds) => holds, schedule: looks })
    )
  const allBusy = every((connection) => connection.isBusy())
  const allIdle = every((connection) => !connection.isBusy())
  const allClosed = every(() => false)
  const closeIdle = () => {
    for (const [socket, connection] of connections) if (!connection.isBusy()) socket.destroy()
  }

  return Effect.gen(function* () {
    // A passed socket stays open: what waits there is for its other processes, or the next one.
    if (fd === undefined) yield* settle(server)
    server.close()
    yield* atMost(allBusy, grace).pipe(
      Effect.zipRight(settle(server)),
      Effect.andThen(closeIdle),
      Effect.zipRight(allIdle),
      (drained) => atMost(drained, drainTimeout)
    )
    for (const connection of connections.values()) connection.giveUp(MalformedRequest.tooLate)
    yield* atMost(allClosed, grace)
  })
}

const manyTurns = 10

/** Node accepts one connection in each turn, which takes a while if there are many, and more may arrive meanwhile. */
const maxSettle = Duration.seconds(5)

/** Takes what the kernel has already: connections and requests, until some turns bring no more. */
const settle = (server: Http.Server) =>
  Effect.async<void>((resume) => {
    let quietTurns = 0
    const onArrival = () => {
      quietTurns = 0
    }
    const look = () => {
      if (quietTurns++ < manyTurns) return void setImmediate(look)
      stop()
      resume(Effect.void)
    }
    const stop = () => {
      quietTurns = Number.POSITIVE_INFINITY
      server.off("connection", onArrival).off("request", onArrival)
    }
    server.on("connection", onArrival).on("request", onArrival)
    look()
    return Effect.sync(stop)
  }).pipe((settled) => atMost(settled, maxSettle))

/** Gives up when the time is over, even in an uninterruptible region such as a finalizer. */
export const atMost = <A>(effect: Effect.Effect<A>, time: Duration.DurationInput) =>
  effect.pipe(Effect.disconnect, Effect.interruptible, Effect.timeoutOption(time), Effect.asVoid)
