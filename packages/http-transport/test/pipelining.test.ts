/** Requests sent before the answers to earlier ones: bounded, answered once, in order. */
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import type { IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { connect } from "./support/Connection.ts"
import { answer, closing, created, expectResponse, noKey, refusal } from "./support/Expected.ts"
import * as Harness from "./support/Harness.ts"
import { create, head, operation, type Request, render } from "./support/Request.ts"
import { live, served } from "./support/Served.ts"
import { startInFlight } from "./support/Stopping.ts"

const thing = '{"name":"n","count":1}'
const added = created('"name":"n","count":1')
const add = operation("POST /v1/things")
const list = operation("GET /v1/things")
const alive = operation("GET /healthz")
const ok = answer(200, '{"status":"ok"}')
const bad = closing(refusal("bad_request", "the request is not valid HTTP"))
const twoHosts = "GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"
const oneHost = closing(refusal("bad_request", "the request needs exactly one Host header"))

interface Message {
  readonly request: IncomingMessage
  readonly socket: Socket
}

/** Calls this with what Node publishes: each request whose head was read, each socket accepted. */
const onMessage = (
  channel: "http.server.request.start" | "net.server.socket",
  listener: (message: Message) => void
) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const onPublish = (message: unknown) => listener(message as Message)
      subscribe(channel, onPublish)
      return onPublish
    }),
    (onPublish) => Effect.sync(() => unsubscribe(channel, onPublish))
  )

/** Slow handlers: what is pipelined behind an addition waits for it. */
const slow = served({
  shelf: ({ add }) => ({ add: (thing) => Effect.delay(add(thing), "200 millis") })
})

describe("a connection with an unanswered request", () => {
  live("is read no further than one buffer, and then answered whole", function* () {
    let heads = 0
    yield* onMessage("http.server.request.start", () => heads++)
    const server = yield* startInFlight(render({ target: "/v1/things" }))
    const padding = `X-Padding: ${"x".repeat(400)}`
    const request = Buffer.from(`GET /healthz HTTP/1.1\r\nHost: x\r\n${padding}\r\n\r\n`)
    const count = 600
    yield* server.connection.send(Buffer.concat(Array(count).fill(request)))
    yield* Effect.sleep("1 second")
    // Node reads 64 KiB at a time.
    expect(heads).toBeLessThan(2 * (65_536 / request.length))
    yield* server.open
    expect((yield* server.connection.receive(list)).body).toBe("[]")
    for (let at = 0; at < count; at++) {
      expect((yield* server.connection.receive(alive)).status).toBe(200)
    }
    expect(heads).toBe(count + 1)
    yield* server.stop
  })

  live("is read no further than one buffer of a body that waits, either", function* () {
    const sockets: Array<Socket> = []
    yield* onMessage("net.server.socket", ({ socket }) => sockets.push(socket))
    const server = yield* startInFlight(render({ target: "/v1/things" }))
    const length = 20_000_000
    const endless = { method: "POST", target: "/v1/things", key: null }
    const headers = [`Content-Length: ${length}`]
    // The first addition reads its body, which resumes the socket.
    yield* server.connection.send(
      Buffer.concat([render(create(thing)), render(create(thing)), head({ ...endless, headers })]),
      Buffer.alloc(length, "n")
    )
    yield* Effect.sleep("500 millis")
    expect(sockets[0]?.bytesRead).toBeLessThan(1_000_000)
    yield* server.open
    expect((yield* server.connection.receive(list)).status).toBe(200)
    for (const id of [1, 2]) expectResponse(yield* server.connection.receive(add), added(id))
    // An answer before the end of the body: the rest is read and discarded.
    expectResponse(yield* server.connection.receive(add), noKey)
    yield* server.stop
  })
})

describe("an answer that closes the connection", () => {
  for (const [name, test] of Object.entries({ fast: served(), slow })) {
    test(`is the last: a request behind it is not handled (${name} handler)`, function* () {
      const connection = yield* connect
      const create1 = render(create(thing))
      yield* connection.send(Buffer.concat([create1, Buffer.from(twoHosts), create1]))
      expectResponse(yield* connection.receive(add), added(1))
      expectResponse(yield* connection.receive(), oneHost)
      expect(yield* connection.closed).toEqual({ rest: "", reset: false })
      expect(yield* Harness.count).toBe(1)
    })

    test(`is the last: other bytes behind it get no answer (${name} handler)`, function* () {
      for (const last of [
        render({ ...create(thing), headers: ["Connection: close"] }),
        Buffer.from(twoHosts)
      ]) {
        const connection = yield* connect
        yield* connection.send(Buffer.concat([last, Buffer.from("nonsense\r\n\r\n")]))
        yield* connection.receive()
        expect(yield* connection.closed).toEqual({ rest: "", reset: false })
      }
    })
  }

  served()("is the last also when it is Node that closes", function* () {
    const connection = yield* connect
    // An answer without a length, such as 204, ends a connection of HTTP/1.0.
    const old = (request: Request) =>
      Buffer.from(
        render({ ...request, headers: ["Connection: keep-alive"] })
          .toString("latin1")
          .replace("HTTP/1.1", "HTTP/1.0")
      )
    const options = old({ method: "OPTIONS", target: "/v1/things" })
    const added = old(create(thing))
    yield* connection.send(Buffer.concat([options, added, added, Buffer.from("nonsense\r\n\r\n")]))
    expect((yield* connection.receive()).status).toBe(204)
    expect(yield* connection.closed).toEqual({ rest: "", reset: false })
    expect(yield* Harness.count).toBe(0)
  })

  slow("leaves nothing unread, which would reset the connection", function* () {
    const sockets: Array<Socket> = []
    yield* onMessage("net.server.socket", ({ socket }) => sockets.push(socket))
    const connection = yield* connect
    const more = Buffer.concat(Array(5000).fill(render({ target: "/healthz" })))
    const sent = Buffer.concat([render(create(thing)), Buffer.from(twoHosts), more])
    yield* connection.send(sent)
    expectResponse(yield* connection.receive(add), added(1))
    expectResponse(yield* connection.receive(), oneHost)
    expect(yield* connection.closed).toEqual({ rest: "", reset: false })
    const [socket] = sockets
    yield* Effect.repeat(Effect.sleep("5 millis"), { until: () => socket?.closed === true })
    expect(socket?.bytesRead).toBe(sent.length)
  })
})

describe("a request whose body turns out to be malformed", () => {
  const chunked = ["Content-Type: application/json", "Transfer-Encoding: chunked"]
  const malformed = (key: string | null) =>
    Buffer.concat([
      head({
        method: "POST",
        target: "/v1/things",
        headers: chunked,
        ...(key === null ? { key } : {})
      }),
      Buffer.from("zz\r\n")
    ])

  for (const [name, test] of Object.entries({ fast: served(), slow })) {
    for (const parts of ["one part", "two parts"]) {
      test(`gets one answer, in ${parts} (${name} handler)`, function* () {
        for (const [first, operation, expected] of [
          [render({ target: "/healthz" }), alive, ok],
          [render(create(thing)), add, undefined]
        ] as const) {
          for (const [key, last] of [
            [null, noKey],
            ["", bad]
          ] as const) {
            const connection = yield* connect
            const second = malformed(key)
            const all = Buffer.concat([first, second])
            // The head of the second request arrives alone, and is refused before its body is there.
            const cut = parts === "one part" ? all.length : all.length - 4
            yield* connection.send(all.subarray(0, cut))
            if (parts === "two parts") yield* Effect.sleep("50 millis")
            yield* connection.send(all.subarray(cut))
            const answered = yield* connection.receive(operation)
            if (expected !== undefined) expectResponse(answered, expected)
            else expect(answered.status).toBe(201)
            // Whichever comes first: the refusal of its key, or that of its body.
            const { status } = yield* connection.receive(add)
            expect([last.status, bad.status]).toContain(status)
            expect(yield* connection.closed).toEqual({ rest: "", reset: false })
          }
        }
        expect(yield* Harness.count).toBe(2)
      })
    }
  }
})
