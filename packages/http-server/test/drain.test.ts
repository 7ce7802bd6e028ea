/** How the service stops: what was begun is finished or answered 503, idle connections are closed, and it ends in time. */
import { describe, expect, it } from "@effect/vitest"
import { PetStore } from "@petstore/domain/PetStore"
import * as MemoryPetStore from "@petstore/store-memory/MemoryPetStore"
import { Context, Effect, Exit, Fiber, flow, Layer, Option, Queue, Scope } from "effect"
import { type Connection, connect, isListening } from "./support/Connection.ts"
import { closing, created, expectResponse, found, noKey, refusal } from "./support/Expected.ts"
import * as Harness from "./support/Harness.ts"
import { fill, fillWith, page } from "./support/Pages.ts"
import { create, head, operation, render } from "./support/Request.ts"
import { gated, start, startInFlight } from "./support/Stopping.ts"

const listing = operation("GET /v1/pets")
const adding = operation("POST /v1/pets")
const list = render({ target: "/v1/pets" })
const pet = '{"name":"n","categoryId":1}'
const empty = closing(found("[]"))

describe.concurrent("a service that stops", () => {
  for (const [name, store] of Object.entries(Harness.stores)) {
    it.scopedLive(`finishes what was begun before its store closes (${name})`, () =>
      Effect.gen(function* () {
        const server = yield* startInFlight(store, list)
        const others: Array<Connection> = []
        for (let at = 0; at < 10; at++) {
          const other = yield* server.connect
          yield* other.send(render(create(pet)))
          yield* Queue.take(server.asked)
          others.push(other)
        }
        const stopping = yield* Effect.fork(server.stop)
        yield* server.refusing
        expect(server.events).toEqual([])
        yield* server.open
        // All of them go on at the same time, so the list may have some of the pets.
        expect((yield* server.connection.receive(listing)).status).toBe(200)
        const bodies: Array<string> = []
        for (const other of others) bodies.push((yield* other.receive(adding)).body)
        expect(bodies.sort()).toEqual(
          Array.from(
            { length: 10 },
            (_, at) => created('"name":"n","categoryId":1')(at + 1).body
          ).sort()
        )
        for (const one of [server.connection, ...others]) {
          expect(yield* one.closed).toEqual({ rest: "", reset: false })
        }
        expect(yield* Fiber.join(stopping)).toBeLessThan(30_000)
        expect(server.events.slice(0, -1).sort()).toEqual([...Array(10).fill("add"), "list"])
        expect(server.events.at(-1)).toBe("closed")
      })
    )
  }

  it.scopedLive("finishes a request though half of another follows it on its connection", () =>
    Effect.gen(function* () {
      // It is too slow after this time, which the service waits for.
      const limit = { headersTimeout: "3 seconds", requestTimeout: "3 seconds" } as const
      const server = yield* startInFlight(MemoryPetStore.layer, list, limit)
      yield* server.connection.send(render(create(pet)).subarray(0, -5))
      yield* Effect.sleep("100 millis")
      const stopping = yield* Effect.fork(server.stop)
      yield* server.refusing
      yield* server.open
      expect((yield* server.connection.receive(listing)).body).toBe("[]")
      expect(yield* Fiber.join(stopping)).toBeLessThan(30_000)
      expect(server.events).toEqual(["list", "closed"])
    })
  )

  it.scopedLive("lets a caller read all of a large answer", () =>
    Effect.gen(function* () {
      const listener = { drainTimeout: "60 seconds" } as const
      const server = yield* start({ listener })
      const connection = yield* server.connect
      yield* Effect.provide(fillWith(200_000), server.context)
      yield* connection.reading(false)
      // Twenty million bytes, more than the system buffers.
      yield* connection.send(page)
      yield* Effect.sleep("300 millis")
      const stopping = yield* Effect.fork(server.stop)
      yield* server.refusing
      yield* connection.reading(true)
      expect((yield* connection.receive(listing)).body.length).toBeGreaterThan(20_000_000)
      expect(yield* connection.closed).toEqual({ rest: "", reset: false })
      yield* Fiber.join(stopping)
    })
  )

  it.scopedLive("takes no new connection while it finishes", () =>
    Effect.gen(function* () {
      const server = yield* startInFlight(MemoryPetStore.layer, list)
      expect(yield* isListening(server.url)).toBe(true)
      const stopping = yield* Effect.fork(server.stop)
      yield* server.refusing
      expect(yield* isListening(server.url)).toBe(false)
      yield* server.open
      yield* Fiber.join(stopping)
      expect(yield* isListening(server.url)).toBe(false)
    })
  )

  it.scopedLive("is not ready any more, on a connection that it still answers", () =>
    Effect.gen(function* () {
      const server = yield* startInFlight(MemoryPetStore.layer, list)
      const stopping = yield* Effect.fork(server.stop)
      yield* server.refusing
      yield* server.connection.send(render({ target: "/readyz", key: null }))
      // The request is read in the time that it takes to see that none is taken elsewhere.
      yield* Effect.sleep("500 millis")
      yield* server.open
      const { body, status } = yield* server.connection.receive(listing)
      expect({ body, status }).toEqual({ body: "[]", status: 200 })
      expectResponse(
        yield* server.connection.receive(operation("GET /readyz")),
        closing(refusal("unavailable", "the service is shutting down", ["Retry-After: 1"]))
      )
      yield* Fiber.join(stopping)
    })
  )

  const half = head(create(pet))
  const chunked = head({ ...create(""), headers: ["Transfer-Encoding: chunked"] })
    .toString()
    .replace("Content-Length: 0\r\n", "")
  const made = closing(created('"name":"n","categoryId":1')(1))

  const leftovers: Readonly<Record<string, ReadonlyArray<string | Uint8Array>>> = {
    "was never used": [],
    "sent half a request line": ["GET /v1/p"],
    "sent half of its headers": [list.subarray(0, -10)]
  }
  for (const [what, parts] of Object.entries(leftovers)) {
    it.scopedLive(`cuts a connection that ${what}, while it finishes others`, () =>
      Effect.gen(function* () {
        const server = yield* startInFlight(MemoryPetStore.layer, list)
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
    )
  }

  const uploads: Readonly<Record<string, readonly [sent: string, rest: string]>> = {
    "no body": [half.toString(), pet],
    "half a body": [half.toString() + pet.slice(0, 10), pet.slice(10)],
    "half a body in chunks": [
      `${chunked}5\r\n${pet.slice(0, 5)}\r\n`,
      `${(pet.length - 5).toString(16)}\r\n${pet.slice(5)}\r\n0\r\n\r\n`
    ],
    "no body, and waits to continue": [
      head({ ...create(pet), headers: ["Expect: 100-continue"] }).toString(),
      pet
    ]
  }
  for (const [what, [sent, rest]] of Object.entries(uploads)) {
    it.scopedLive(`finishes a request of which it had its headers and ${what}`, () =>
      Effect.gen(function* () {
        const server = yield* start({ listener: { drainTimeout: "60 seconds" } })
        const connection = yield* server.connect
        yield* connection.send(sent)
        yield* Effect.sleep("100 millis")
        const stopping = yield* Effect.fork(server.stop)
        yield* server.refusing
        yield* Effect.sleep("1500 millis")
        yield* connection.send(rest)
        expectResponse(yield* connection.receive(adding), made)
        expect((yield* connection.closed).reset).toBe(false)
        expect(yield* Fiber.join(stopping)).toBeLessThan(30_000)
      })
    )

    it.scopedLive(`answers 503 when the rest of it does not come in time (${what})`, () =>
      Effect.gen(function* () {
        const server = yield* start({ listener: { drainTimeout: "1500 millis" } })
        const connection = yield* server.connect
        yield* connection.send(sent)
        yield* Effect.sleep("100 millis")
        const stopping = yield* Effect.fork(server.stop)
        expectResponse(
          yield* connection.receive(adding),
          closing(refusal("unavailable", "the service is shutting down", ["Retry-After: 1"]))
        )
        expect((yield* connection.closed).reset).toBe(false)
        expect(yield* Fiber.join(stopping)).toBeLessThan(30_000)
      })
    )
  }

  it.scopedLive("finishes all requests of a connection that had sent several", () =>
    Effect.gen(function* () {
      const server = yield* startInFlight(MemoryPetStore.layer, list)
      yield* server.connection.send(render(create(pet)), list, half)
      yield* Effect.sleep("100 millis")
      const stopping = yield* Effect.fork(server.stop)
      yield* server.refusing
      yield* server.connection.send(pet)
      yield* server.open
      const bodies: Array<string> = []
      for (const each of [listing, adding, listing, adding]) {
        bodies.push((yield* server.connection.receive(each)).body)
      }
      const one = '{"id":1,"name":"n","categoryId":1}'
      expect(bodies).toEqual(["[]", one, `[${one}]`, one.replace("1", "2")])
      expect(yield* server.connection.closed).toEqual({ rest: "", reset: false })
      yield* Fiber.join(stopping)
    })
  )

  it.scopedLive("cuts connections that are idle, or were answered before they sent all", () =>
    Effect.gen(function* () {
      const server = yield* start({ listener: { drainTimeout: "60 seconds" } })
      const idle = yield* server.connect
      yield* idle.send(list)
      yield* idle.receive(listing)
      const sending = yield* server.connect
      yield* sending.send(head({ ...create(pet), key: null }))
      expectResponse(yield* sending.receive(adding), noKey)
      expect(yield* server.stop).toBeLessThan(30_000)
      expect((yield* idle.closed).rest).toBe("")
      expect((yield* sending.closed).rest).toBe("")
    })
  )

  // The clock of this test stands still, so a stop that waits for any time does not end.
  it.scoped("cuts idle connections at once if it has no time to drain", () =>
    Effect.gen(function* () {
      const server = yield* start({ listener: { drainTimeout: 0 } })
      const silent = yield* server.connect
      const idle = yield* server.connect
      yield* idle.send(list)
      yield* idle.receive(listing)
      yield* server.stop
      expect((yield* idle.closed).rest).toBe("")
      expect((yield* silent.closed).rest).toBe("")
    })
  )

  it.scopedLive("cuts what is left when it stops before it ever served", () =>
    Effect.gen(function* () {
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
  )

  it.scopedLive("leaves its address to the next", () =>
    Effect.gen(function* () {
      const first = yield* start({})
      yield* first.stop
      const next = yield* start({ listener: { port: Number(new URL(first.url).port) } })
      expect(next.url).toBe(first.url)
      yield* next.stop
    })
  )
})

it.scopedLive("a service that stops keeps serving for a while if it should, but is not ready", () =>
  Effect.gen(function* () {
    const server = yield* start({ listener: { prestop: "3 seconds" } })
    const old = yield* server.connect
    const stopping = yield* Effect.fork(server.stop)
    yield* Effect.sleep("200 millis")
    const fresh = yield* server.connect
    for (const connection of [old, fresh]) {
      yield* connection.send(list)
      expectResponse(yield* connection.receive(listing), found("[]"))
      yield* connection.send(render({ target: "/readyz", key: null }))
      expectResponse(
        yield* connection.receive(operation("GET /readyz")),
        refusal("unavailable", "the service is shutting down", ["Retry-After: 1"])
      )
      yield* connection.send(render({ target: "/healthz", key: null }))
      expect((yield* connection.receive(operation("GET /healthz"))).status).toBe(200)
    }
    expect(yield* Fiber.join(stopping)).toBeGreaterThan(3000)
  })
)

it.scopedLive(
  "a service that stops serves connections that were opened before and ask afterwards",
  () =>
    Effect.gen(function* () {
      const server = yield* start({})
      const fresh = yield* Effect.all(Array<typeof server.connect>(100).fill(server.connect), {
        concurrency: "unbounded"
      })
      const stopping = yield* Effect.fork(server.stop)
      // They have a second from then on.
      yield* server.refusing
      yield* Effect.forEach(fresh, ({ send }) => send(list), { concurrency: "unbounded" })
      for (const connection of fresh) expectResponse(yield* connection.receive(listing), empty)
      yield* Fiber.join(stopping)
    })
)

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

  it.scopedLive("although a request never finishes", () =>
    Effect.gen(function* () {
      const gate = yield* gated(MemoryPetStore.layer)
      const server = yield* start({ store: gate.layer, listener })
      const connection = yield* server.connect
      yield* connection.send(list)
      yield* Queue.take(gate.asked)
      expect(yield* stopsInTime(server.stop, gate.open)).toBeGreaterThan(900)
      expectResponse(
        yield* connection.receive(listing),
        closing(refusal("unavailable", "the service is shutting down", ["Retry-After: 1"]))
      )
      expect(yield* connection.closed).toEqual({ rest: "", reset: false })
      expect(gate.events).toEqual(["closed"])
    })
  )

  it.scopedLive("although a request never finishes and cannot be interrupted", () =>
    Effect.gen(function* () {
      const gate = yield* gated(MemoryPetStore.layer)
      const store = Layer.map(gate.layer, (context) => {
        const store = Context.get(context, PetStore)
        const stubborn = { ...store, list: flow(store.list, Effect.uninterruptible) }
        return Context.make(PetStore, PetStore.of(stubborn))
      })
      const server = yield* start({ store, listener })
      const connection = yield* server.connect
      yield* connection.send(list)
      yield* Queue.take(gate.asked)
      yield* stopsInTime(server.stop, gate.open)
    })
  )

  it.scopedLive("although a caller never reads its answer", () =>
    Effect.gen(function* () {
      const server = yield* start({ listener })
      const connection = yield* server.connect
      yield* Effect.provide(fill, server.context)
      yield* connection.reading(false)
      // Each of these answers has six million bytes, more than the system keeps for a caller.
      yield* connection.send(...Array(3).fill(page))
      yield* Effect.sleep("300 millis")
      yield* stopsInTime(server.stop, connection.vanish)
    })
  )

  it.scopedLive("although a caller keeps sending", () =>
    Effect.gen(function* () {
      const server = yield* start({ listener })
      const connection = yield* server.connect
      const endless = ["Content-Type: application/json", "Transfer-Encoding: chunked"]
      yield* connection.send(head({ method: "POST", target: "/v1/pets", headers: endless }))
      const send = Effect.zipRight(connection.send("1\r\n \r\n"), Effect.sleep("10 millis"))
      yield* Effect.forkScoped(Effect.forever(send))
      yield* Effect.sleep("100 millis")
      yield* stopsInTime(server.stop, connection.vanish)
    })
  )

  it.scopedLive("and at once if no request is in flight", () =>
    Effect.gen(function* () {
      const server = yield* startInFlight(MemoryPetStore.layer, list)
      const stopping = yield* Effect.fork(server.stop)
      yield* server.refusing
      yield* server.connection.vanish
      yield* stopsInTime(Fiber.join(stopping), server.open)
      expect(server.events).toEqual(["closed"])
    })
  )
})
