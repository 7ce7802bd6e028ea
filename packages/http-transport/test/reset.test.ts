/** Callers who leave rudely, and callers who ask for more than they read. */
import { spawnSync } from "node:child_process"
import { connect as connectSocket } from "node:net"
import { describe, expect } from "@effect/vitest"
import { HttpListener } from "@petstore/http-transport/HttpListener"
import { Effect, Schedule } from "effect"
import { exchange } from "./support/Connection.ts"
import * as Harness from "./support/Harness.ts"
import { create, render } from "./support/Request.ts"
import { served } from "./support/Served.ts"

const tunnel = Buffer.from("CONNECT a:1 HTTP/1.1\r\nHost: x\r\n\r\n")

const callers = 20
const add = render(create('{"name":"n","count":1}'))

/** Callers in another process, who send a request and leave in this way. This process accepts no connection meanwhile. */
const leave = (url: string, how: "end" | "resetAndDestroy") => {
  const script = `
    const { port, request, count, how } = JSON.parse(process.argv[1])
    for (let nth = 0; nth < count; nth++) {
      const socket = require("node:net").connect(port, "127.0.0.1", () => {
        socket.write(request, () => { socket[how](); setImmediate(() => socket.destroy()) })
      })
    }`
  const request = String(add)
  const given = JSON.stringify({ port: new URL(url).port, request, count: callers, how })
  const { status, stderr } = spawnSync(process.execPath, ["-e", script, given], {
    encoding: "utf8"
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
}

describe("a service", () => {
  served()("survives callers who reset a tunnel that they asked for", function* () {
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

  served()(
    "handles no request of callers who reset connections that were not accepted yet",
    function* () {
      const { url } = yield* HttpListener
      leave(url, "resetAndDestroy")
      // It is accepted after them.
      expect((yield* exchange({ target: "/healthz" })).status).toBe(200)
      expect(yield* Harness.count).toBe(0)
      leave(url, "end")
      yield* Effect.repeat(Harness.count, {
        until: (count) => count === callers,
        schedule: Schedule.spaced("5 millis")
      })
    }
  )
})
