/** One connection, event by event: cases that generated orders and real sockets meet too rarely. */
import { expect, it, vi } from "@effect/vitest"
import type { Exchange } from "../dist/internal/Exchange.js"
import * as MalformedRequest from "../dist/internal/MalformedRequest.js"
import * as Reply from "../dist/internal/Reply.js"
import { head, render } from "./support/Request.ts"
import * as Wire from "./support/Wire.ts"

const ok = { status: 200, headers: [], body: Reply.json("[]") }
const tooSlow = MalformedRequest.fromParser(
  Object.assign(new Error(), { code: "ERR_HTTP_REQUEST_TIMEOUT" })
)

const get = (id: string, ...headers: ReadonlyArray<string>) =>
  render({ target: "/", headers: [`X-Request-Id: ${id}`, ...headers] })
const post = { method: "POST", target: "/", body: "twelve bytes", headers: ["X-Request-Id: post"] }

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
  await send(get("late"))
  expect(handled).toEqual([])
  expect(socket.isPaused()).toBe(true)
})

it("that is given up refuses the current request, drops the others, and ignores its handler", async () => {
  const { answered, caller, connection, counts, handled, reply, send } = open()
  await send(get("a"), get("b"))
  expect(counts).toEqual({ inFlight: 1, queued: 1 })
  connection.giveUp(MalformedRequest.tooLate)
  connection.giveUp(MalformedRequest.tooLate)
  expect(counts).toEqual({ inFlight: 0, queued: 0 })
  await reply()
  expect(handled).toEqual([])
  expect(caller.received().answers).toEqual(["a 503"])
  expect(answered).toEqual(["a 503"])
})

it.each([
  { others: 24_576 - 16, sent: 17, isOpen: true },
  { others: 24_576 - 16, sent: 18, isOpen: false },
  { others: 24_576 - 17, sent: 18, isOpen: true },
  { others: 24_576, sent: 17, isOpen: true },
  { others: 24_576, sent: 18, isOpen: false }
])(
  "that sent $sent requests, while $others wait on others, stays open: $isOpen",
  async ({ others, sent, isOpen }) => {
    const { caller, counts, send } = open()
    counts.queued = others
    await send(...Array.from({ length: sent }, () => get("a")))
    expect(caller.isOpen()).toBe(isOpen)
    expect(counts.queued).toBe(isOpen ? others + sent - 1 : others)
  }
)

it("is idle until its first request, after its last one, and when only a body is missing", async () => {
  const { caller, idle, reply, send, socket } = open()
  expect(idle.get(socket)).toBe(Number.NEGATIVE_INFINITY)
  await send(get("a"), get("b"))
  expect(idle.has(socket)).toBe(false)
  await reply()
  expect(idle.has(socket)).toBe(false)
  await reply()
  expect(idle.get(socket)).toBeGreaterThan(0)
  await send(head(post))
  expect(idle.has(socket)).toBe(false)
  await reply()
  expect(idle.get(socket)).toBeGreaterThan(0)
  caller.vanish()
  await settled()
  expect(idle.size).toBe(0)
})

it("is not idle once it is closed", async () => {
  const { caller, counts, idle, send } = open()
  await send(get("a"), get("b"))
  caller.vanish()
  await settled()
  expect(idle.size).toBe(0)
  expect(counts).toEqual({ inFlight: 0, queued: 0 })
})

it("stays paused while a request waits, although Node resumes it", async () => {
  const { reply, send, socket } = open()
  await send(get("a"), get("b"))
  const onPause = vi.fn()
  socket.on("pause", onPause).resume()
  await settled()
  expect(socket.isPaused()).toBe(true)
  expect(onPause).toHaveBeenCalled()
  await reply()
  expect(socket.isPaused()).toBe(false)
})

it.each([
  ["a body of its own", ok, 514],
  ["a body that is kept anyway", { ...ok, body: { ...ok.body, isKept: true } }, 512],
  ["no body", { status: 204, headers: [] }, 512]
])("holds memory for an answer with %s until it is sent", async (_, answer, bytes) => {
  const { backlog, handled, send, socket } = open()
  const hold = vi.spyOn(backlog, "hold")
  const release = vi.spyOn(backlog, "release")
  await send(get("a"))
  handled[0]?.reply(answer)
  expect(hold.mock.calls).toEqual([[socket, bytes]])
  expect(release).not.toHaveBeenCalled()
  await settled()
  expect(release).toHaveBeenCalledWith(socket)
})

it("holds nothing for a large answer that was sent before the end of its request", async () => {
  const { backlog, handled, send, socket } = open()
  const release = vi.spyOn(backlog, "release")
  await send(head(post))
  handled[0]?.reply({ ...ok, body: Reply.json(`"${"x".repeat(100_000)}"`) })
  expect(release).not.toHaveBeenCalled()
  await settled()
  expect(release).toHaveBeenCalledWith(socket)
})

it("discards what follows its last answer, for 30 seconds, or until nothing came for 2", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  try {
    for (const isSilent of [true, false]) {
      const { caller, reply, send, server, socket } = open()
      const setTimeout = vi.spyOn(socket, "setTimeout")
      const onRequest = vi.fn()
      server.on("request", onRequest)
      await send(get("a", "Connection: close"))
      const timers = vi.getTimerCount()
      await reply()
      expect(caller.hasEnded()).toBe(true)
      await send(get("b"))
      expect(onRequest).toHaveBeenCalledOnce()
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
