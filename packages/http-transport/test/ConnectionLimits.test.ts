/** Which idle connection makes room for another. */
import type { Socket } from "node:net"
import { expect, it, vi } from "vitest"
import * as ConnectionLimits from "../src/internal/connection/ConnectionLimits.ts"

/** As much of a socket as the limits use. */
const socket = (remoteAddress: string, writableLength = 0) =>
  ({ remoteAddress, writableLength, once: vi.fn(), destroy: vi.fn() }) as unknown as Socket

/** Which of these connections, the longest idle first, are closed for one from `10.0.0.1`. */
const closedOf = (idle: ReadonlyArray<Socket>, limits: Partial<ConnectionLimits.Options>) => {
  const all = { maxConnections: 9, maxConnectionsPerAddress: 9, ...limits }
  const { admit, admitRequest, idle: known } = ConnectionLimits.make(all)
  for (const one of idle) {
    admit(one)
    known.set(one, Number.NEGATIVE_INFINITY)
  }
  expect(admitRequest(socket("10.0.0.1"))).toBe(true)
  return idle.map(({ destroy }) => vi.mocked(destroy).mock.calls.length)
}

it("closes one of the same address if that has too many", () => {
  const idle = [socket("10.0.0.2"), socket("10.0.0.1"), socket("10.0.0.1")]
  expect(closedOf(idle, { maxConnectionsPerAddress: 2 })).toEqual([0, 1, 0])
  expect(closedOf([socket("10.0.0.2"), socket("10.0.0.1")], { maxConnections: 2 })).toEqual([1, 0])
  const mapped = [socket("10.0.0.2"), socket("::ffff:10.0.0.1")]
  expect(closedOf(mapped, { maxConnectionsPerAddress: 1 })).toEqual([0, 1])
})

it("closes one that was admitted, three seconds after its last request", () => {
  vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] })
  try {
    const limits = { maxConnections: 1, maxConnectionsPerAddress: 9 }
    const { admit, admitRequest, idle } = ConnectionLimits.make(limits)
    const [admitted, surplus, next] = [socket("10.0.0.1"), socket("10.0.0.2"), socket("10.0.0.3")]
    const closed = () =>
      [admitted, surplus, next].map(({ destroy }) => vi.mocked(destroy).mock.calls.length)
    for (const one of [admitted, surplus]) admit(one)
    idle.set(surplus, Number.NEGATIVE_INFINITY).set(admitted, performance.now())
    vi.advanceTimersByTime(1999)
    expect(closed()).toEqual([0, 0, 0])
    vi.advanceTimersByTime(1)
    expect(closed()).toEqual([0, 1, 0])
    admit(next)
    vi.advanceTimersByTime(999)
    expect(admitRequest(next)).toBe(false)
    vi.advanceTimersByTime(1)
    expect(admitRequest(next)).toBe(true)
    // Since it was admitted, it may take its time.
    vi.advanceTimersByTime(60_000)
    expect(closed()).toEqual([1, 1, 0])
  } finally {
    vi.useRealTimers()
  }
})

it("closes none that has an answer to send", () => {
  const idle = [socket("10.0.0.2", 1), socket("10.0.0.3")]
  expect(closedOf(idle, { maxConnections: 2 })).toEqual([0, 1])
})
