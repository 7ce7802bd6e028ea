/** Callers who leave rudely, and callers who ask for more than they read. */
import { connect as connectSocket } from "node:net"
import { expect, layer } from "@effect/vitest"
import { HttpListener } from "@petstore/http-server/HttpListener"
import { Effect } from "effect"
import { connect, exchange } from "./support/Connection.ts"
import { closing, created, expectResponse, noKey, refusal } from "./support/Expected.ts"
import * as Harness from "./support/Harness.ts"
import { create, operation, render } from "./support/Request.ts"

const tunnel = Buffer.from("CONNECT a:1 HTTP/1.1\r\nHost: x\r\n\r\n")

layer(Harness.layer(), { excludeTestServices: true })("a service", (it) => {
  it.scoped("survives callers who reset a tunnel that they asked for", () =>
    Effect.gen(function* () {
      const { url } = yield* HttpListener
      for (let round = 0; round < 20; round++) {
        yield* Effect.async<void>((resume) => {
          const socket = connectSocket(Number(new URL(url).port), "127.0.0.1", () => {
            socket.write(tunnel, () => socket.resetAndDestroy())
          })
          socket.on("error", () => {})
          socket.on("close", () => resume(Effect.void))
        })
      }
      expect((yield* exchange({ target: "/healthz" })).status).toBe(200)
    })
  )

  it.scoped("answers what came before a tunnel was asked for, and then refuses that", () =>
    Effect.gen(function* () {
      const connection = yield* connect
      const add = render(create('{"name":"n","categoryId":1}'))
      yield* connection.send(Buffer.concat([add, tunnel]))
      const first = yield* connection.receive(operation("POST /v1/pets"))
      expectResponse(first, created('"name":"n","categoryId":1')(1))
      expectResponse(
        yield* connection.receive(operation("CONNECT a:1")),
        closing(refusal("bad_request", "CONNECT is not served here"))
      )
    })
  )

  it.scoped("answers in full what it refused before the rest turned out to be no HTTP", () =>
    Effect.gen(function* () {
      for (const rest of [
        "Transfer-Encoding: gzip\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\nzz\r\n"
      ]) {
        const connection = yield* connect
        yield* connection.send(Buffer.from(`POST /v1/pets HTTP/1.1\r\nHost: x\r\n${rest}`))
        expectResponse(yield* connection.receive(operation("POST /v1/pets")), noKey)
        expect(yield* connection.closed).toEqual({ rest: "", reset: false })
      }
    })
  )

  it.scoped("prepares one answer at a time for a caller who sends many requests at once", () =>
    Effect.gen(function* () {
      const connection = yield* connect
      const add = render(create('{"name":"n","categoryId":1}'))
      const list = render({ target: "/v1/pets?limit=100" })
      const before = yield* Harness.count
      yield* connection.send(Buffer.concat([add, list, list, add, list]))
      const bodies: Array<ReadonlyArray<unknown>> = []
      for (const line of ["POST", "GET", "GET", "POST", "GET"]) {
        const response = yield* connection.receive(operation(`${line} /v1/pets`))
        if (line === "GET") bodies.push(JSON.parse(response.body))
      }
      expect(bodies.map((body) => body.length)).toEqual([before + 1, before + 1, before + 2])
    })
  )
})
