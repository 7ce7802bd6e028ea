/** Servers to be stopped, with work that finishes when a test says so. */
import * as HttpListener from "@petstore/http-transport/HttpListener"
import { Context, Deferred, Duration, Effect, Exit, Layer, Queue, Schedule, Scope } from "effect"
import { connect, isListening } from "./Connection.ts"
import * as Harness from "./Harness.ts"
import type { Change } from "./Things.ts"

/** A shelf that records its calls, waits before it answers, and records when it is closed. */
export const gated = Effect.gen(function* () {
  const events: Array<string> = []
  const asked = yield* Queue.unbounded<string>()
  const gate = yield* Deferred.make<void>()
  const wait = <A, E>(what: string, work: Effect.Effect<A, E>) =>
    Effect.zipRight(Queue.offer(asked, what), Deferred.await(gate)).pipe(
      Effect.zipRight(work),
      Effect.tap(() => Effect.sync(() => events.push(what)))
    )
  const shelf: Change = ({ add, list }) => ({
    add: (thing) => wait("add", add(thing)),
    list: (limit, after) => wait("list", list(limit, after)),
    close: () => void events.push("closed")
  })
  return { asked, events, shelf, open: Deferred.succeed(gate, undefined) }
})

/** A running server, and what stops it; how long that took is what stopping gives. */
export const start = (options: Harness.Options) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const context = yield* Layer.buildWithScope(Harness.layer(options), scope)
    const { url } = Context.get(context, HttpListener.HttpListener)
    const stop = Scope.close(scope, Exit.void).pipe(
      Effect.timed,
      Effect.map(([spent]) => Duration.toMillis(spent))
    )
    const refusing = isListening(url).pipe(
      Effect.repeat({ while: (listening) => listening, schedule: Schedule.spaced("20 millis") })
    )
    return {
      connect: Effect.provide(connect, context),
      context,
      stop,
      /** Begins to stop it, and waits until it takes no more connections. */
      stopping: Effect.zipLeft(Effect.fork(stop), refusing),
      url
    }
  })

/** A server with a request in flight, and a minute to finish it. */
export const startInFlight = (request: Uint8Array, listener: Harness.Options["listener"] = {}) =>
  Effect.gen(function* () {
    const gate = yield* gated
    const server = yield* start({
      shelf: gate.shelf,
      listener: { drainTimeout: "60 seconds", ...listener }
    })
    const connection = yield* server.connect
    yield* connection.send(request)
    yield* Queue.take(gate.asked)
    return { ...gate, ...server, connection }
  })
