/** One connection, event by event: cases that generated orders and real sockets meet too rarely. */
import { describe, expect, it, vi } from "@effect/vitest"
import * as MalformedRequest from "../src/internal/connection/MalformedRequest.ts"
import type { Exchange } from "../src/internal/exchange/Exchange.ts"
import * as Reply from "../src/internal/exchange/Reply.ts"
import { head, render } from "./support/Request.ts"
import * as Wire from "./support/Wire.ts"

const ok = { status: 200, headers: [], body: Reply.json("[]") }
const large = { ...ok, body: Reply.json(`"${"x".repeat(100_000)}"`) }
const notHttp = MalformedRequest.fromParser(new Error())
const tooSlow = MalformedRequest.fromParser(
  Object.assign(new Error(), { code: "ERR_HTTP_REQUEST_TIMEOUT" })
)

const get = (id: string, ...headers: ReadonlyArray<string>) =>
  render({ target: "/", headers: [`X-Request-Id: ${id}`, ...headers] })
/** What such a request counts while it waits, and what all may count. */
const waiting = 1024 + 64 * (get("a").toString().split(": ").length - 1) * 2
const limit = 50_331_648
/** A request whose body does not arrive. */
const half = (id: string) =>
  head({ method: "POST", target: "/", body: "twelve bytes", headers: [`X-Request-Id: ${id}`] })

/** Enough turns of the event loop for all that happens without a caller. */
const settled = async () => {
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate)
}

/** A connection whose requests are answered when the test says so. */
const open = () => {
  const handled: Array<{ exchange: Exchange; reply: (reply: Reply.Reply) => void }> = []
  const answered: Array<string> = []
  const wire = Wire.make({
    closesWhenIdle: () => false,
    handle: (exchange, reply) => handled.push({ exchange, reply }),
    onAnswer: ({ requestId }, { status }) => answered.push(`${requestId} ${status}`)
  })
  const caller = wire.connect()
  const [[socket, connection] = expect.fail("no connection")] = wire.connections
  const send = async (...requests: ReadonlyArray<Buffer>) => {
    caller.send(Buffer.concat(requests))
    await settled()
  }
  /** Answers the requests that are handled, and those that follow them. */
  const reply = async () => {
    for (const { reply } of handled.splice(0)) reply(ok)
    await settled()
  }
  return { ...wire, answered, caller, connection, handled, reply, send, socket }
}

describe("a connection", () => {
  it("between two requests is busy, and refuses what follows only after the second", async () => {
    const { caller, connection, handled, reply, send } = open()
    await send(get("a"), get("b"))
    const isBusy = vi.fn(connection.isBusy)
    handled[0]?.exchange.response.once("close", () => {
      isBusy()
      connection.refuse(tooSlow)
    })
    await reply()
    expect(isBusy).toHaveReturnedWith(true)
    await reply()
    expect(caller.received().answers).toEqual(["a 200", "b 200", expect.stringMatching(/ 408$/)])
  })

  it("handles and reads nothing more once it was given up while it was idle", async () => {
    const { connection, handled, send, socket } = open()
    connection.giveUp(MalformedRequest.tooLate)
    connection.refuse(notHttp)
    // Node discards what is no HTTP.
    expect(socket.isPaused()).toBe(false)
    await send(get("late"))
    expect(handled).toEqual([])
    expect(socket.isPaused()).toBe(true)
  })

  it("that is given up refuses the current request, drops the others, and ignores its handler", async () => {
    const { answered, caller, connection, counts, handled, reply, send, socket } = open()
    await send(get("a"), get("b"))
    const [{ exchange } = expect.fail("not handled")] = handled
    expect(counts).toEqual({ inFlight: 1, queuedBytes: waiting, unsentBytes: 0 })
    connection.giveUp(MalformedRequest.tooLate)
    connection.giveUp(MalformedRequest.tooLate)
    expect(counts).toMatchObject({ inFlight: 0, queuedBytes: 0 })
    await reply()
    expect(handled).toEqual([])
    expect(caller.received().answers).toEqual(["a 503"])
    expect(answered).toEqual(["a 503"])
    expect(caller.hasEnded()).toBe(true)
    // What arrives after the last answer is read and discarded.
    connection.accept(exchange)
    expect(handled).toEqual([])
    expect(socket.isPaused()).toBe(false)
  })

  it("that is given up ends at once, also if the rest of its request is missing", async () => {
    const { caller, connection, send } = open()
    await send(half("a"))
    connection.giveUp(MalformedRequest.tooLate)
    await settled()
    expect([caller.received().answers, caller.hasEnded()]).toEqual([["a 503"], true])
  })

  it.each([
    { others: limit - 3 * waiting, sent: 4, isOpen: true },
    { others: limit - 3 * waiting, sent: 5, isOpen: false },
    { others: limit - 3 * waiting - 1, sent: 5, isOpen: true },
    { others: limit, sent: 3, isOpen: true },
    { others: limit, sent: 4, isOpen: false }
  ])(
    "that sent $sent requests, while $others bytes wait on others, stays open: $isOpen",
    async ({ others, sent, isOpen }) => {
      const { caller, counts, cuts, send } = open()
      counts.queuedBytes = others
      await send(...Array.from({ length: sent }, () => get("a")))
      expect(caller.isOpen()).toBe(isOpen)
      expect(cuts).toEqual(isOpen ? [] : ["too many requests waited on it"])
      expect(counts.queuedBytes).toBe(isOpen ? others + (sent - 1) * waiting : others)
    }
  )

  it("is forgotten once its caller disconnects, with its requests", async () => {
    const { answered, caller, counts, reply, send } = open()
    await send(get("a"), get("b"))
    caller.vanish()
    await settled()
    // Its handler may have ended meanwhile.
    await reply()
    expect(counts).toEqual({ inFlight: 0, queuedBytes: 0, unsentBytes: 0 })
    expect(answered).toEqual(["a 499"])
  })

  it("that is destroyed between two requests does not handle the second", async () => {
    const { counts, handled, reply, send, socket } = open()
    await send(get("a"), get("b"))
    // The close of a real socket takes longer than a turn of the event loop.
    socket._destroy = () => {}
    handled[0]?.exchange.response.once("close", () => socket.destroy())
    await reply()
    expect(handled).toEqual([])
    expect(counts).toEqual({ inFlight: 0, queuedBytes: 0, unsentBytes: 0 })
  })

  it("lets others have their turn between two of its requests", async () => {
    let turn = 0
    const turns: Array<number> = []
    const { connect } = Wire.make({
      closesWhenIdle: () => false,
      handle: (_, reply) => {
        turns.push(turn)
        reply(ok)
      },
      onAnswer: () => {}
    })
    connect().send(Buffer.concat([get("a"), get("b"), get("c")]))
    for (; turn < 10; turn++) await new Promise(setImmediate)
    expect(turns).toHaveLength(3)
    expect(new Set(turns).size).toBe(3)
  })

  it("stays paused while a request waits, although Node resumes it", async () => {
    const { reply, send, socket } = open()
    await send(get("a"), get("b"), get("c"))
    socket.resume()
    await settled()
    expect(socket.isPaused()).toBe(true)
    // Node resumes the handle only, which listens to this.
    const onPause = vi.fn()
    socket.on("pause", onPause).emit("resume")
    expect(onPause).toHaveBeenCalledOnce()
    await reply()
    expect(socket.isPaused()).toBe(true)
    await reply()
    expect(socket.isPaused()).toBe(false)
  })

  it.each([
    ["a body of its own", ok, 514],
    ["a body that is kept anyway", { ...ok, body: { ...ok.body, isKept: true } }, 512],
    ["no body", { status: 204, headers: [] }, 512]
  ])("counts an answer with %s until it is sent", async (_, answer, bytes) => {
    const { caller, counts, handled, send } = open()
    await send(get("a"))
    handled[0]?.reply(answer)
    expect(counts.unsentBytes).toBe(bytes)
    await settled()
    expect(counts.unsentBytes).toBe(0)
    caller.vanish()
    await settled()
    expect(counts.unsentBytes).toBe(0)
  })

  it.each([
    { what: "waits for a request", isOpen: false },
    { what: "waits for a handler", request: get("a"), isOpen: true },
    { what: "waits for its caller to read", request: get("a"), answer: large, isOpen: false },
    { what: "brings something now", request: get("a"), answer: large, moves: true, isOpen: true }
  ])("on which nothing has moved, and that $what, stays open: $isOpen", async (given) => {
    const { answer, isOpen, moves = false, request } = given
    const { caller, connection, cuts, handled, send, socket } = open()
    if (request !== undefined) await send(request)
    // Nothing is accepted of what it writes.
    if (answer !== undefined) socket._write = () => {}
    if (answer !== undefined) handled[0]?.reply(answer)
    connection.closeIfStill()
    if (moves) Object.defineProperty(socket, "bytesRead", { value: 1 })
    await settled()
    expect(caller.isOpen()).toBe(isOpen)
    expect(cuts).toEqual(isOpen || !answer ? [] : ["its caller did not read the response"])
  })

  it("drops what waits when the answer before it closes the connection", async () => {
    const { counts, handled, send } = open()
    await send(get("a", "Connection: upgrade"), get("b"))
    expect(counts.queuedBytes).toBe(waiting)
    handled[0]?.reply(ok)
    expect(counts.queuedBytes).toBe(0)
  })

  it("refuses a malformed head, and closes", async () => {
    const { caller, handled, send } = open()
    await send(get("a", "Host: other"), get("b"))
    expect(handled).toEqual([])
    expect(caller.received().answers).toEqual(["a 400"])
    expect(caller.hasEnded()).toBe(true)
  })

  it.each([
    ["that is not answered", undefined, "a 400"],
    ["that was answered", ok, "a 200"],
    ["whose answer is being written", large, "a 200"]
  ])(
    "closes after one answer to a request %s when the rest is malformed",
    async (_, early, last) => {
      const { caller, connection, handled, reply, send } = open()
      await send(half("a"))
      if (early !== undefined) handled[0]?.reply(early)
      if (early === ok) await settled()
      connection.refuse(notHttp)
      connection.refuse(tooSlow)
      await reply()
      expect(caller.received()).toEqual({ answers: [last], rest: 0 })
      expect(caller.hasEnded()).toBe(true)
    }
  )

  it("refuses a request that waits, once, in its turn", async () => {
    const { answered, caller, connection, handled, reply, send } = open()
    await send(get("a"), half("b"))
    connection.refuse(notHttp)
    connection.refuse(tooSlow)
    await reply()
    expect(handled).toEqual([])
    expect(answered).toEqual(["a 200", "b 400"])
    expect(caller.received()).toEqual({ answers: answered, rest: 0 })
    expect(caller.hasEnded()).toBe(true)
  })

  it("discards what follows its last answer, for 30 seconds, or until nothing came for 2", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    try {
      for (const isSilent of [true, false]) {
        const { caller, send, server, socket } = open()
        const setTimeout = vi.spyOn(socket, "setTimeout")
        const onRequest = vi.fn()
        server.on("request", onRequest)
        const timers = vi.getTimerCount()
        await send(get("a", "Host: other"))
        expect(caller.hasEnded()).toBe(true)
        await send(get("b"))
        expect(onRequest).toHaveBeenCalledOnce()
        // Without one, the parser would go on reading from the handle.
        expect(socket.listenerCount("data")).toBe(1)
        socket.destroySoon()
        expect(vi.getTimerCount()).toBe(timers + 1)
        expect(socket.readableLength).toBe(0)
        vi.advanceTimersByTime(29_999)
        expect(caller.isOpen()).toBe(true)
        const [, onSilence] = setTimeout.mock.calls.find(([millis]) => millis === 2000) ?? []
        if (isSilent) onSilence?.()
        else vi.advanceTimersByTime(1)
        expect(caller.isOpen()).toBe(false)
        await settled()
        expect(vi.getTimerCount()).toBe(timers)
      }
    } finally {
      vi.useRealTimers()
    }
  })
})
