/** What waits to be sent, by the second: sweeps are the backlog's only clock. */
import type { Socket } from "node:net"
import { expect, it, vi } from "vitest"
import * as Backlog from "../src/internal/connection/Backlog.ts"

/** As much of a socket as the backlog uses. The bytes that it was given are more than those that wait in it. */
const socket = () =>
  ({ destroyed: false, writableLength: 1000, bytesWritten: 2000 }) as Socket & {
    writableLength: number
  }

const make = () => {
  const close = vi.fn()
  const backlog = Backlog.make({ maxUnsentBytes: 100, sendTimeout: "60 seconds" }, close)
  const pass = (seconds: number, reading: ReadonlyArray<{ writableLength: number }> = []) => {
    for (let at = 0; at < seconds; at++) {
      for (const one of reading) one.writableLength--
      backlog.sweep()
    }
  }
  return { backlog, close, pass }
}

it("is full while more than its limit waits, on all connections together", () => {
  const { backlog } = make()
  const [first, second] = [socket(), socket()]
  backlog.hold(first, 60)
  backlog.hold(second, 40)
  expect(backlog.isFull()).toBe(false)
  backlog.hold(second, 40)
  expect(backlog.isFull()).toBe(false)
  backlog.hold(second, 41)
  expect(backlog.isFull()).toBe(true)
  backlog.release(first)
  backlog.release(first)
  expect(backlog.isFull()).toBe(false)
  backlog.hold(first, 60)
  expect(backlog.isFull()).toBe(true)
})

it("holds nothing for a connection that is closed", () => {
  const { backlog } = make()
  backlog.hold(Object.assign(socket(), { destroyed: true }), 101)
  expect(backlog.isFull()).toBe(false)
})

it("no longer counts a connection that it has closed", () => {
  const { backlog, pass } = make()
  backlog.hold(socket(), 101)
  pass(60)
  expect(backlog.isFull()).toBe(false)
})

it("closes connections that accept nothing for the configured time, and no others", () => {
  const { backlog, close, pass } = make()
  const [deaf, reading] = [socket(), socket()]
  const unanswered = Object.assign(socket(), { writableLength: 0 })
  // The time before does not count.
  pass(5)
  for (const one of [deaf, reading, unanswered]) backlog.hold(one, 10)
  pass(59, [reading])
  expect(close).not.toHaveBeenCalled()
  pass(1, [reading])
  expect(close.mock.calls).toEqual([[deaf]])
  pass(120, [reading])
  pass(59)
  expect(close).toHaveBeenCalledOnce()
  pass(1)
  expect(close).toHaveBeenLastCalledWith(reading)
})
