/** Memory for responses, by the second: sweeps are the backlog's only clock. */
import { EventEmitter } from "node:events"
import type { Socket } from "node:net"
import * as Direct from "@petstore/direct/Direct"
import { Exit } from "effect"
import { expect, it, vi } from "vitest"
import * as Backlog from "../src/internal/Backlog.ts"

const large = 100_000

/** As much of a socket as the backlog uses. */
const socket = () =>
  Object.assign(new EventEmitter() as Socket, {
    destroyed: false,
    writableLength: 1,
    bytesWritten: 1
  })

const make = () => {
  const close = vi.fn()
  const backlog = Backlog.make({ maxUnsentBytes: 2.5 * large, sendTimeout: "60 seconds" }, close)
  const pass = (seconds: number, reading: ReadonlyArray<{ bytesWritten: number }> = []) => {
    for (let at = 0; at < seconds; at++) {
      for (const one of reading) one.bytesWritten++
      backlog.sweep()
    }
  }
  const wait = (one: Socket) => {
    const settled = vi.fn()
    const cancel = Direct.start(() => backlog.reserveInTurn(one, large), settled, noFork)
    return { cancel, exits: () => settled.mock.calls.flat() }
  }
  return { backlog, close, pass, wait }
}

const noFork = () => expect.unreachable("this needs no fiber")
const admitted = [Exit.void]

/** A turn of the event loop, in which one response is admitted. */
const turn = () => new Promise((resolve) => setImmediate(resolve))

it("lets large responses wait in order once there is no memory, and small ones not", async () => {
  const { backlog, wait } = make()
  const [first, second, third, fourth] = [socket(), socket(), socket(), socket()]
  expect(backlog.reserve(first, large)).toBe(true)
  expect(backlog.reserve(second, large)).toBe(true)
  expect(backlog.reserve(third, large)).toBe(false)
  expect(backlog.reserve(third, Backlog.pieceBytes)).toBe(true)
  const waiting = [wait(third), wait(fourth)]
  backlog.release(second)
  await turn()
  expect(waiting.map(({ exits }) => exits())).toEqual([admitted, []])
  // The fourth comes before others that ask now.
  expect(backlog.reserve(second, large)).toBe(false)
  backlog.release(first)
  await turn()
  // One is made at a time.
  expect(waiting.map(({ exits }) => exits())).toEqual([admitted, []])
  backlog.hold(third, large)
  await turn()
  expect(waiting.map(({ exits }) => exits())).toEqual([admitted, admitted])
})

it("lets a single response be larger than the limit", () => {
  const { backlog } = make()
  const [first, second] = [socket(), socket()]
  expect(backlog.reserve(first, 10 * large)).toBe(true)
  expect(backlog.reserve(second, large)).toBe(false)
  backlog.release(first)
  expect(backlog.reserve(second, large)).toBe(true)
})

it("forgets a response whose caller does not wait for it", async () => {
  const { backlog, wait } = make()
  const [first, second, third] = [socket(), socket(), socket()]
  backlog.hold(first, 10 * large)
  const [gone, waiting] = [wait(second), wait(third)]
  gone.cancel()
  backlog.release(first)
  await turn()
  expect([gone.exits(), waiting.exits()]).toEqual([[], admitted])
})

it("passes over a caller that is gone", async () => {
  const { backlog, wait } = make()
  const [first, second, third] = [socket(), socket(), socket()]
  backlog.hold(first, 10 * large)
  const [, waiting] = [wait(second), wait(third)]
  second.destroyed = true
  backlog.release(first)
  await turn()
  await turn()
  expect(waiting.exits()).toEqual(admitted)
})

it("closes connections that accept nothing for the configured time, and no others", () => {
  const { backlog, close, pass } = make()
  const [deaf, reading, unanswered] = [socket(), socket(), { ...socket(), writableLength: 0 }]
  for (const one of [deaf, reading, unanswered as Socket]) backlog.hold(one, 10)
  pass(59, [reading])
  expect(close).not.toHaveBeenCalled()
  pass(1, [reading])
  expect(close.mock.calls).toEqual([[deaf]])
  pass(120, [reading])
  expect(close).toHaveBeenCalledOnce()
})

it("closes those that accept nothing sooner while responses wait, slowest first, until none waits", async () => {
  const { backlog, close, pass, wait } = make()
  const [slow, slowest, reading] = [socket(), socket(), socket()]
  backlog.hold(slow, large)
  backlog.hold(slowest, large)
  backlog.hold(reading, large / 2)
  pass(5, [slow, reading])
  const waiting = wait(socket())
  pass(5, [reading])
  expect(close.mock.calls).toEqual([[slowest]])
  await turn()
  expect(waiting.exits()).toEqual(admitted)
  pass(20, [reading])
  expect(close).toHaveBeenCalledOnce()
})

it("answers 503 if there is no memory for half a minute", () => {
  const { backlog, pass, wait } = make()
  const reading = socket()
  backlog.hold(reading, 3 * large)
  const waiting = wait(socket())
  pass(29, [reading])
  expect(waiting.exits()).toEqual([])
  pass(1, [reading])
  expect(waiting.exits()).toMatchObject([{ cause: { error: { status: 503 } } }])
})
