/** The memory held for callers that do not read their answers. */
import type { Socket } from "node:net"

/** Limits of what waits to be sent. */
export interface Options {
  /** How many bytes may wait for all connections together. */
  readonly maxBytes: number
  /** How long a connection may accept nothing of what waits for it. */
  readonly timeoutMillis: number
}

/**
 * Counts what waits for each connection: answers to be sent, and requests to be handled. When all of it
 * exceeds the limit, a connection is closed: of those that do not accept their answer the one that has
 * made no progress for the longest time, so that callers that read are not affected.
 */
export interface Backlog {
  /** Sets how many bytes wait for a connection. */
  readonly hold: (socket: Socket, bytes: number) => void
  /** Nothing waits for the connection any more, or it has just accepted something. */
  readonly release: (socket: Socket) => void
  /** Closes the connections that have accepted nothing for too long. */
  readonly sweep: () => void
}

interface Entry {
  bytes: number
  /** When the connection last made progress. */
  readonly since: number
}

/** Starts with nothing. */
export const make = ({ maxBytes, timeoutMillis }: Options): Backlog => {
  // The connection that made progress last is the last one.
  const entries = new Map<Socket, Entry>()
  let total = 0

  const release = (socket: Socket) => {
    const entry = entries.get(socket)
    if (entry === undefined) return
    total -= entry.bytes
    entries.delete(socket)
  }
  const close = (socket: Socket) => {
    release(socket)
    socket.destroy()
  }

  const slowest = () => {
    for (const socket of entries.keys()) if (socket.writableLength > 0) return socket
    return undefined
  }

  return {
    hold: (socket, bytes) => {
      const entry = entries.get(socket)
      total += bytes - (entry?.bytes ?? 0)
      if (entry === undefined) entries.set(socket, { bytes, since: performance.now() })
      else entry.bytes = bytes
      // A single answer may be larger than the limit.
      while (total > maxBytes && entries.size > 1) close(slowest() ?? socket)
    },
    release,
    sweep: () => {
      const now = performance.now()
      for (const [socket, { since }] of entries) {
        if (now - since < timeoutMillis) break
        // Without output it is the service that the caller waits for.
        if (socket.writableLength > 0) close(socket)
      }
    }
  }
}
