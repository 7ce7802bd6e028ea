/** How the service stops: what was begun is finished or answered 503, idle connections are closed, and it ends in time. */
import { describe, expect, scoped } from "@effect/vitest"
import { Effect, Exit, Fiber, flow, Layer, Option, Queue, Scope } from "effect"
import { inChunks } from "./support/Bodies.ts"
import { connect } from "./support/Connection.ts"
import { closing, created, expectResponse, found, noKey, refusal } from "./support/Expected.ts"
import * as Harness from "./support/Harness.ts"
import { fill, fillWith, page } from "./support/Pages.ts"
import { create, head, operation, render } from "./support/Request.ts"
import { live } from "./support/Served.ts"
import { gated, start, startInFlight } from "./support/Stopping.ts"
import type { Change } from "./support/Things.ts"

const listing = operation("GET /v1/things")
const adding = operation("POST /v1/things")
const list = render({ target: "/v1/things" })
const thing = '{"name":"n","count":1}'
const empty = closing(found("[]"))
const shuttingDown = refusal("unavailable", "the service is shutting down", ["Retry-After: 1"])
const unhurried = { listener: { drainTimeout: "60 seconds" } } as const

describe.concurrent("a service that stops", () => {
  live("finishes what was begun before what its handlers need is closed", function* () {
    const server = yield* startInFlight(list)
    const others = yield* Effect.replicateEffect(server.connect, 10)
    for (const other of others) {
      yield* other.send(render(create(thing)))
      yield* Queue.take(server.asked)
    }
    const stopping = yield* server.stopping
    expect(server.events).toEqual([])
    yield* server.open
    // All of them go on at the same time, so the list may have some of the things.
    expect((yield* server.connection.receive(listing)).status).toBe(200)
    const added = yield* Effect.forEach(others, ({ receive }) => receive(adding))
    expect(new Set(added.map(({ body }) => body)).size).toBe(10)
    expect(added.every(({ status }) => status === 201)).toBe(true)
    for (const one of [server.connection, ...others]) {
      expect(yield* one.closed).toEqual({ rest: "", reset: false })
    }
    expect(yield* Fiber.join(stopping)).toBeLessThan(30_000)
    expect(server.events.slice(0, -1).sort()).toEqual([...Array(10).fill("add"), "list"])
    expect(server.events.at(-1)).toBe("closed")
  })

  live("finishes a request though half of another follows it on its connection", function* () {
    // It is too slow after this time, which the service waits for.
    const limit = { requestTimeout: "3 seconds" } as const
    const server = yield* startInFlight(list, limit)
    yield* server.connection.send(render(create(thing)).subarray(0, -5))
    yield* Effect.sleep("100 millis")
    const stopping = yield* server.stopping
    yield* server.open
    expect((yield* server.connection.receive(listing)).body).toBe("[]")
    expect(yield* Fiber.join(stopping)).toBeLessThan(30_000)
    expect(server.events).toEqual(["list", "closed"])
  })

  live("lets a caller read all of a large answer", function* () {
    const server = yield* start(unhurried)
    const connection = yield* server.connect
    yield* Effect.provide(fillWith(20_000_000), server.context)
    yield* connection.reading(false)
    // Twenty million bytes, more than the system buffers.
    yield* connection.send(page)
    yield* Effect.sleep("300 millis")
    const stopping = yield* server.stopping
    yield* connection.reading(true)
    expect((yield* connection.receive(listing)).body.length).toBeGreaterThan(20_000_000)
    expect(yield* connection.closed).toEqual({ rest: "", reset: false })
    yield* Fiber.join(stopping)
  })

  const half = String(head(create(thing)))
  const made = closing(created('"name":"n","count":1')(1))

  const leftovers: Readonly<Record<string, ReadonlyArray<string | Uint8Array>>> = {
    "was never used": [],
    "sent half a request line": ["GET /v1/p"],
    "sent half of its headers": [list.subarray(0, -10)]
  }
  for (const [what, parts] of Object.entries(leftovers)) {
    live(`cuts a connection that ${what}, while it finishes others`, function* () {
      const server = yield* startInFlight(list)
      const leftover = yield* server.connect
      yield* leftover.send(...parts)
      yield* Effect.sleep("100 millis")
      const stopping = yield* Effect.fork(server.stop)
      expect((yield* leftover.closed).rest).toBe("")
      yield* server.open
      expectResponse(yield* server.connection.receive(listing), empty)
      expect(yield* Fiber.join(stopping)).toBeLessThan(30_000)
      expect(server.events).toEqual(["list", "closed"])
    })
  }

  const uploads: Readonly<Record<string, readonly [sent: string, rest: string]>> = {
    "no body": [half, thing],
    "half a body": [half + thing.slice(0, 10), thing.slice(10)],
    "half a body in chunks": [
      `${head(inChunks)}5\r\n${thing.slice(0, 5)}\r\n`,
      `${(thing.length - 5).toString(16)}\r\n${thing.slice(5)}\r\n0\r\n\r\n`
    ],
    "no body, and waits to continue": [
      head({ ...create(thing), headers: ["Expect: 100-continue"] }).toString(),
      thing
    ]
  }
  for (const [what, [sent, rest]] of Object.entries(uploads)) {
    live(`finishes a request of which it had its headers and ${what}`, function* () {
      const server = yield* start(unhurried)
      const connection = yield* server.connect
      yield* connection.send(sent)
      yield* Effect.sleep("100 millis")
      const stopping = yield* server.stopping
      yield* Effect.sleep("1500 millis")
      yield* connection.send(rest)
      expectResponse(yield* connection.receive(adding), made)
      expect((yield* connection.closed).reset).toBe(false)
      expect(yield* Fiber.join(stopping)).toBeLessThan(30_000)
    })

    live(`answers 503 when the rest of it does not come in time (${what})`, function* () {
      const server = yield* start({ listener: { drainTimeout: "1500 millis" } })
      const connection = yield* server.connect
      yield* connection.send(sent)
      yield* Effect.sleep("100 millis")
      const stopping = yield* Effect.fork(server.stop)
      expectResponse(yield* connection.receive(adding), closing(shuttingDown))
      expect((yield* connection.closed).reset).toBe(false)
      expect(yield* Fiber.join(stopping)).toBeLessThan(30_000)
    })
  }

  live("finishes all requests of a connection that had sent several", function* () {
    const server = yield* startInFlight(list)
    yield* server.connection.send(render(create(thing)), list, half)
    yield* Effect.sleep("100 millis")
    const stopping = yield* server.stopping
    yield* server.connection.send(thing)
    yield* server.open
    const asked = [listing, adding, listing, adding]
    const answers = yield* Effect.forEach(asked, server.connection.receive)
    const one = '{"id":1,"name":"n","count":1}'
    const bodies = ["[]", one, `[${one}]`, one.replace("1", "2")]
    expect(answers.map(({ body }) => body)).toEqual(bodies)
    expect(yield* server.connection.closed).toEqual({ rest: "", reset: false })
    yield* Fiber.join(stopping)
  })

  live("cuts connections that are idle, or were answered before they sent all", function* () {
    const server = yield* start(unhurried)
    const idle = yield* server.connect
    yield* idle.ask({ target: "/v1/things" })
    const sending = yield* server.connect
    yield* sending.send(head({ ...create(thing), key: null }))
    expectResponse(yield* sending.receive(adding), noKey)
    expect(yield* server.stop).toBeLessThan(30_000)
    expect((yield* idle.closed).rest).toBe("")
    expect((yield* sending.closed).rest).toBe("")
  })

  // The clock of this test stands still, so a stop that waits for any time does not end.
  scoped("cuts idle connections at once if it has no time to drain", () =>
    Effect.gen(function* () {
      const server = yield* start({ listener: { drainTimeout: 0 } })
      const silent = yield* server.connect
      const idle = yield* server.connect
      yield* idle.ask({ target: "/v1/things" })
      yield* server.stop
      expect((yield* idle.closed).rest).toBe("")
      expect((yield* silent.closed).rest).toBe("")
    })
  )

  live("cuts what is left when it stops before it ever served", function* () {
    const scope = yield* Scope.make()
    const listener = yield* Layer.buildWithScope(Harness.listener(), scope)
    const idle = yield* Effect.provide(connect, listener)
    const half = yield* Effect.provide(connect, listener)
    yield* half.send("GET /healthz HTTP/1.1\r\nHost: ")
    yield* Effect.sleep("100 millis")
    yield* Scope.close(scope, Exit.void)
    expect((yield* idle.closed).rest).toBe("")
    expect((yield* half.closed).rest).toBe("")
  })
})

live("a service that stops keeps serving for a while if it should, but is not ready", function* () {
  const server = yield* start({ listener: { prestop: "3 seconds" } })
  const old = yield* server.connect
  const stopping = yield* Effect.fork(server.stop)
  yield* Effect.sleep("200 millis")
  const fresh = yield* server.connect
  for (const connection of [old, fresh]) {
    expectResponse(yield* connection.ask({ target: "/v1/things" }), found("[]"))
    expectResponse(yield* connection.ask({ target: "/readyz", key: null }), shuttingDown)
    expect((yield* connection.ask({ target: "/healthz", key: null })).status).toBe(200)
  }
  expect(yield* Fiber.join(stopping)).toBeGreaterThan(3000)
})

live("a service that stops serves connections that it has and that ask later", function* () {
  const server = yield* start({})
  const fresh = yield* Effect.replicateEffect(server.connect, 100, { concurrency: 100 })
  const stopping = yield* server.stopping
  // They have a second from now on.
  yield* Effect.forEach(fresh, ({ send }) => send(list), { concurrency: "unbounded" })
  for (const connection of fresh) expectResponse(yield* connection.receive(listing), empty)
  yield* Fiber.join(stopping)
})

describe.concurrent("a service that stops ends within its deadline", () => {
  const listener = { drainTimeout: "1 second" } as const

  /** Fails when the service has not stopped in far more time than it has; then lets it stop. */
  const stopsInTime = <A>(stop: Effect.Effect<number>, release: Effect.Effect<A>) =>
    Effect.gen(function* () {
      const stopping = yield* Effect.forkDaemon(stop)
      const spent = yield* Fiber.join(stopping).pipe(Effect.timeoutOption("8 seconds"))
      yield* release
      if (Option.isNone(spent)) return expect.fail("the service did not stop in time")
      return spent.value
    })

  live("although a request never finishes", function* () {
    const { connection, events, open, stop } = yield* startInFlight(list, listener)
    expect(yield* stopsInTime(stop, open)).toBeGreaterThan(900)
    expectResponse(yield* connection.receive(listing), closing(shuttingDown))
    expect(yield* connection.closed).toEqual({ rest: "", reset: false })
    expect(events).toEqual(["closed"])
  })

  const interrupting = (who: string, isGone: boolean) =>
    live(`and closes what its handlers need only after they have ended, ${who}`, function* () {
      const gate = yield* gated
      const events = gate.events
      const release = Effect.zipRight(
        Effect.sleep("20 millis"),
        Effect.sync(() => events.push("interrupted"))
      )
      const shelf: Change = (usual) => {
        const { list = usual.list, ...others } = gate.shelf(usual)
        return {
          ...others,
          list: flow(
            list,
            Effect.onInterrupt(() => release)
          )
        }
      }
      const server = yield* start({ shelf, listener })
      const connection = yield* server.connect
      yield* connection.send(list)
      yield* Queue.take(gate.asked)
      const stopping = isGone ? yield* server.stopping : undefined
      if (isGone) yield* connection.vanish
      yield* stopsInTime(stopping === undefined ? server.stop : Fiber.join(stopping), gate.open)
      expect(events).toEqual(["interrupted", "closed"])
    })
  interrupting("whose time is over", false)
  interrupting("whose caller has gone", true)

  live("although a request never finishes and cannot be interrupted", function* () {
    const gate = yield* gated
    const shelf: Change = (usual) => {
      const { list = usual.list, ...others } = gate.shelf(usual)
      return { ...others, list: flow(list, Effect.uninterruptible) }
    }
    const server = yield* start({ shelf, listener })
    const connection = yield* server.connect
    yield* connection.send(list)
    yield* Queue.take(gate.asked)
    yield* stopsInTime(server.stop, gate.open)
  })

  live("although a caller never reads its answer", function* () {
    const server = yield* start({ listener })
    const connection = yield* server.connect
    yield* Effect.provide(fill, server.context)
    yield* connection.reading(false)
    // Each of these answers has six million bytes, more than the system keeps for a caller.
    yield* connection.send(...Array(3).fill(page))
    yield* Effect.sleep("300 millis")
    yield* stopsInTime(server.stop, connection.vanish)
  })

  live("although a caller keeps sending", function* () {
    const server = yield* start({ listener })
    const connection = yield* server.connect
    yield* connection.send(head(inChunks))
    const send = Effect.zipRight(connection.send("1\r\n \r\n"), Effect.sleep("10 millis"))
    yield* Effect.forkScoped(Effect.forever(send))
    yield* Effect.sleep("100 millis")
    yield* stopsInTime(server.stop, connection.vanish)
  })
})
