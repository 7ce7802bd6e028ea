/** Bodies event by event: how much is held, and in which order they are handled. `bodies` has whole requests. */
import { IncomingMessage, ServerResponse } from "node:http"
import { Socket } from "node:net"
import { afterEach, describe, expect, it, vi } from "@effect/vitest"
import * as Direct from "@petstore/kernel/Direct"
import { Exit } from "effect"
import { Exchange } from "../src/internal/exchange/Exchange.ts"
import * as RequestBody from "../src/internal/exchange/RequestBody.ts"

const limit = 65_536
const large = Buffer.from(JSON.stringify("x".repeat(60_000)))
const small = Buffer.from('{"name":"n"}')

const cancels: Array<() => void> = []
afterEach(() => {
  for (const cancel of cancels.splice(0)) cancel()
})

/** A body that is being received. */
const receive = (length = large.length) => {
  const request = new IncomingMessage(new Socket())
  request.headers = { "content-type": "application/json", "content-length": String(length) }
  const exchange = new Exchange(request, new ServerResponse(request), false)
  const outcome: { status?: number; value?: unknown } = {}
  const cancel = Direct.start(
    () => RequestBody.json(exchange, limit),
    (exit) => {
      if (Exit.isSuccess(exit)) outcome.value = exit.value
      else if (exit.cause._tag === "Fail") outcome.status = exit.cause.error.status
    },
    () => expect.unreachable("this needs no fiber")
  )
  cancels.push(cancel)
  return {
    outcome,
    cancel,
    send: (chunk: Buffer) => void request.emit("data", chunk),
    end: () => void request.emit("end")
  }
}

const turn = () => new Promise(setImmediate)

describe("unfinished bodies", () => {
  it("are refused once 64 MiB are held: the oldest, but for small ones", () => {
    const little = receive(small.length)
    little.send(small)
    const hold = (count: number) => {
      const bodies = Array.from({ length: count }, () => receive())
      for (const { send } of bodies) send(large.subarray(0, -1))
      return bodies
    }
    const refused = (bodies: ReturnType<typeof hold>) =>
      bodies.flatMap(({ outcome: { status } }, nth) => (status === undefined ? [] : [nth, status]))
    const held = hold(1118)
    expect(refused(held)).toEqual([])
    expect(refused(hold(2))).toEqual([])
    expect(refused(held)).toEqual([0, 503, 1, 503])
    // Twice, as after a disconnect that follows the answer.
    for (const cancel of cancels) for (let times = 0; times < 2; times++) cancel()
    // More than the limit in all.
    for (let nth = 0; nth < 20_000; nth++) {
      const { cancel, send } = receive(4000)
      send(large.subarray(0, 4000))
      cancel()
    }
    expect(refused(hold(1118))).toEqual([])
    expect(little.outcome).toEqual({})
  })

  it("take no more memory than they announce", () => {
    const alloc = vi.spyOn(Buffer, "alloc")
    const body = receive()
    const half = Math.ceil(large.length / 2) + 1
    body.send(large.subarray(0, half))
    body.send(large.subarray(half))
    expect(alloc.mock.calls.map(([size]) => size)).toEqual([large.length])
    alloc.mockRestore()
  })

  it("are copied a few times, however many pieces they have", () => {
    const alloc = vi.spyOn(Buffer, "alloc")
    const body = receive()
    for (let at = 0; at < large.length; at += 64) body.send(large.subarray(at, at + 64))
    expect(alloc.mock.calls.length).toBeLessThan(20)
    alloc.mockRestore()
  })
})

describe("bodies that arrive in one turn", () => {
  it("are handled for a few milliseconds of it; small ones do not wait for large ones", async () => {
    const now = vi.spyOn(performance, "now")
    let millis = 0
    now.mockImplementation(() => (millis += 4))
    const bodies = [receive(), receive(), receive(small.length)]
    for (const { end, send } of bodies.slice(0, 2)) {
      send(large)
      end()
    }
    bodies[2]?.send(small)
    bodies[2]?.end()
    const done = () => bodies.map(({ outcome }) => "value" in outcome)
    await turn()
    expect(done()).toEqual([true, false, true])
    await turn()
    now.mockRestore()
    expect(done()).toEqual([true, true, true])
  })

  it("are not handled if their callers leave before the end of it", async () => {
    const { cancel, end, outcome, send } = receive()
    send(large)
    end()
    cancel()
    await turn()
    expect(outcome).toEqual({})
  })
})
