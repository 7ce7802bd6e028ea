/** The memory of answers that wait to be sent: bounded, without closing callers that read. */
import type { Socket } from "node:net"
import * as Direct from "@petstore/direct/Direct"
import * as Duration from "effect/Duration"
import * as Exit from "effect/Exit"
import * as KernelQueues from "./KernelQueues.ts"
import * as Reply from "./Reply.ts"

/** Limits of what waits to be sent. */
export interface Options {
  /** How many bytes may wait to be sent, on all connections together; past it, large answers wait. */
  readonly maxUnsentBytes: number
  /** How long a connection may accept nothing of its answer. */
  readonly sendTimeout: Duration.DurationInput
}

/** What waits to be sent. */
export type Backlog = ReturnType<typeof make>

/** Answers up to this length never wait, and longer ones are written in pieces of it. */
export const pieceBytes = 65_536

/** The time between two sweeps. */
export const sweepMillis = 1000

/** While answers wait for memory, each connection must accept something in this time. */
const rateMillis = 10_000

/** After so many sweeps without progress the kernel is asked, which takes megabytes from Node at a time. */
const suspectSweeps = 3

/** How long an answer may wait for memory. */
const waitMillis = 30_000

interface Entry {
  bytes: number
  /** How many bytes the connection had accepted when it was last seen to accept some, and at which sweep. */
  accepted: number
  /** How many bytes the kernel had for it when it was last asked, if it was. */
  queued: number | undefined
  since: number
}

interface Waiting {
  readonly socket: Socket
  readonly bytes: number
  readonly since: number
  readonly settle: Direct.Callback<void, Reply.Reply>
}

const tooLong = Reply.fail("unavailable", "too many large answers are being sent: try again")

/**
 * Counts the bytes that wait for each connection. Once they are too many, large answers wait in order before they
 * are made. While some wait, connections that accept less than a minimal rate are closed, slowest first.
 */
export const make = ({ maxUnsentBytes, sendTimeout }: Options, close: (socket: Socket) => void) => {
  const entries = new Map<Socket, Entry>()
  // In order of arrival.
  const waiting = new Set<Waiting>()
  // Time is counted in sweeps: while the process is blocked, it sees nothing that callers accept.
  let sweeps = 0
  let total = 0
  /** How many of the entries are large answers. */
  let large = 0
  /** The connection whose answer had to wait, and is being made now. */
  let making: Socket | undefined
  const isLarge = (bytes: number) => bytes > pieceBytes

  // A single answer may be larger than the limit.
  const fits = (bytes: number) => large === 0 || total + bytes <= maxUnsentBytes

  /** Whether an answer waits that does not fit, or small ones have taken more than there is. */
  const isShort = () => {
    const [next] = waiting
    return total > maxUnsentBytes || (next !== undefined && !fits(next.bytes))
  }

  const keep = (socket: Socket, bytes: number) => {
    if (socket.destroyed) return
    const entry = entries.get(socket)
    if (entry !== undefined) count(entry.bytes, -1)
    count(bytes, 1)
    if (entry !== undefined) entry.bytes = bytes
    else
      entries.set(socket, { bytes, accepted: acceptedBy(socket), queued: undefined, since: sweeps })
  }
  const count = (bytes: number, sign: 1 | -1) => {
    total += sign * bytes
    if (isLarge(bytes)) large += sign
  }
  /** One at a time, since making a large answer takes long: small ones are made in between. */
  const admit = () => {
    const [next] = waiting
    if (next === undefined || making !== undefined || !fits(next.bytes)) return
    waiting.delete(next)
    keep(next.socket, next.bytes)
    making = next.socket
    next.settle(Exit.void)
    // Nothing is made for a caller that is gone.
    if (next.socket.destroyed) proceed(next.socket)
  }
  /** Lets the next one be made, in another turn of the event loop. */
  const proceed = (socket: Socket) => {
    if (making === socket) making = undefined
    if (waiting.size > 0) setImmediate(admit)
  }
  const release = (socket: Socket) => {
    const entry = entries.get(socket)
    if (entry === undefined) return
    count(entry.bytes, -1)
    entries.delete(socket)
    proceed(socket)
  }
  /** Notes whether a connection has accepted something since the last sweep. */
  const look = (socket: Socket, entry: Entry, queues: () => KernelQueues.KernelQueues) => {
    const accepted = acceptedBy(socket)
    // Nothing to send: the caller waits for us.
    if (accepted !== entry.accepted || socket.writableLength === 0) {
      Object.assign(entry, { accepted, queued: undefined, since: sweeps })
    } else if (sweeps - entry.since >= suspectSweeps) {
      const queued = queues()(socket)
      if (entry.queued !== undefined && entry.queued !== queued) entry.since = sweeps
      entry.queued = queued
    }
  }
  /** Closes the connections that have accepted nothing for so long, the slowest first, while this holds. */
  const closeStalled = (millis: number, isNeeded: () => boolean) => {
    const limit = sweeps - millis / sweepMillis
    const stalled = Array.from(entries).filter(([, { since }]) => since <= limit)
    stalled.sort(([, one], [, other]) => one.since - other.since)
    for (const [socket] of stalled) {
      if (!isNeeded()) return
      close(socket)
      release(socket)
    }
  }

  return {
    /** Reserves memory for an answer that is about to be made or sent; none if there is too little. */
    reserve: (socket: Socket, bytes: number) => {
      if (!isLarge(bytes)) return true
      if (waiting.size > 0 || !fits(bytes)) return false
      keep(socket, bytes)
      return true
    },
    /** Reserves memory for an answer, when it is its turn. Fails with 503 if that takes too long. */
    reserveInTurn: (socket: Socket, bytes: number) =>
      Direct.async<void, Reply.Reply>((settle) => {
        const one = { socket, bytes, since: sweeps, settle }
        waiting.add(one)
        if (waiting.size === 1) setImmediate(admit)
        return () => void waiting.delete(one)
      }),
    /** Sets how many bytes wait for a connection: its answer is made. */
    hold: (socket: Socket, bytes: number) => {
      keep(socket, bytes)
      proceed(socket)
    },
    /** Nothing waits for the connection any more. */
    release,
    /** Closes connections that accept too little. To be called every `sweepMillis`. */
    sweep: () => {
      sweeps++
      for (const one of waiting) {
        if ((sweeps - one.since) * sweepMillis < waitMillis) break
        waiting.delete(one)
        one.settle(tooLong)
      }
      let queues: KernelQueues.KernelQueues | undefined
      const queuesNow = () => {
        queues ??= KernelQueues.read()
        return queues
      }
      for (const [socket, entry] of entries) look(socket, entry, queuesNow)
      closeStalled(Duration.toMillis(sendTimeout), () => true)
      closeStalled(rateMillis, isShort)
    }
  }
}

/** How many bytes the system has accepted from a socket. */
const acceptedBy = (socket: Socket): number => (socket.bytesWritten ?? 0) - socket.writableLength
