/** What waits to be sent: counted, and not kept for callers that accept nothing. */
import type { Socket } from "node:net"
import * as Duration from "effect/Duration"

/** Limits of what waits to be sent. */
export interface Options {
  /** How many bytes may wait to be sent, on all connections together; past it, requests are answered 503. */
  readonly maxUnsentBytes: number
  /** How long a connection may accept nothing of its answer. */
  readonly sendTimeout: Duration.DurationInput
}

/** What waits to be sent. */
export type Backlog = ReturnType<typeof make>

/** The time between two sweeps. */
export const sweepMillis = 1000

interface Entry {
  readonly bytes: number
  /** How many bytes the connection had accepted when it was last seen to accept some, and at which sweep. */
  accepted: number
  since: number
}

/** Counts the bytes that wait for each connection, and closes those that accept nothing for too long. */
export const make = ({ maxUnsentBytes, sendTimeout }: Options, close: (socket: Socket) => void) => {
  const entries = new Map<Socket, Entry>()
  // Time is counted in sweeps: while the process is blocked, it sees nothing that callers accept.
  const maxSweeps = Duration.toMillis(sendTimeout) / sweepMillis
  let sweeps = 0
  let total = 0

  const release = (socket: Socket) => {
    total -= entries.get(socket)?.bytes ?? 0
    entries.delete(socket)
  }

  return {
    /** Whether too much waits. */
    isFull: () => total > maxUnsentBytes,
    /** Counts bytes that wait for a connection, instead of those before. */
    hold: (socket: Socket, bytes: number) => {
      if (socket.destroyed) return
      release(socket)
      total += bytes
      entries.set(socket, { bytes, accepted: acceptedBy(socket), since: sweeps })
    },
    /** Nothing waits for the connection. */
    release,
    /** Closes connections that have accepted nothing for too long. To be called every `sweepMillis`. */
    sweep: () => {
      sweeps++
      for (const [socket, entry] of entries) {
        const accepted = acceptedBy(socket)
        // Nothing to send: the caller waits for us.
        if (accepted !== entry.accepted || socket.writableLength === 0) {
          Object.assign(entry, { accepted, since: sweeps })
        } else if (sweeps - entry.since >= maxSweeps) {
          close(socket)
          release(socket)
        }
      }
    }
  }
}

/** How many bytes the system has accepted from a socket. */
const acceptedBy = (socket: Socket): number => (socket.bytesWritten ?? 0) - socket.writableLength
