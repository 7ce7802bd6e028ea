/** Limits how many connections there are, in all and from one address. */
import type { Socket } from "node:net"
import * as ClientAddress from "../../ClientAddress.ts"

/** Limits of connections. */
export interface Options {
  /** How many connections may be open; idle ones make room, else requests on any more are answered 503. */
  readonly maxConnections: number
  /** How many of them may come from one address, or one IPv6 network of 64 bits. */
  readonly maxConnectionsPerAddress: number
}

/** How long a connection must be idle after a request before it is closed. */
const idleMillis = 3000

/** How long a connection past a limit has to send a request and to read its refusal. */
const surplusMillis = 2000

/** The connections within the limits. */
export const make = ({ maxConnections, maxConnectionsPerAddress }: Options) => {
  const idle = new Map<Socket, number>()
  const addresses = new Map<Socket, string>()
  const counts = new Map<string, number>()

  const forget = (socket: Socket) => {
    const address = addresses.get(socket)
    if (address === undefined) return
    addresses.delete(socket)
    const left = (counts.get(address) ?? 0) - 1
    if (left > 0) counts.set(address, left)
    else counts.delete(address)
  }
  const addressOf = (socket: Socket) => ClientAddress.networkOf(socket.remoteAddress ?? "")
  const isFull = (address: string) => (counts.get(address) ?? 0) >= maxConnectionsPerAddress
  const isWithin = (socket: Socket) => addresses.has(socket)
  const admitIfRoom = (socket: Socket) => {
    const address = addressOf(socket)
    if (isFull(address) || addresses.size >= maxConnections) return false
    addresses.set(socket, address)
    counts.set(address, (counts.get(address) ?? 0) + 1)
    socket.once("close", () => forget(socket))
    return true
  }
  /** Closes an idle connection: if an address has too many, one of its own. */
  const makeRoom = (address: string) => {
    const isSameOnly = isFull(address)
    const limit = performance.now() - idleMillis
    for (const [socket, since] of idle) {
      const known = addresses.get(socket)
      // One may have an answer that is not sent yet.
      if (known === undefined || since > limit || socket.writableLength > 0) continue
      if (isSameOnly && known !== address) continue
      forget(socket)
      socket.destroy()
      return
    }
  }

  return {
    /** The connections without a request, and since when; those that never had one since forever. */
    idle,
    /** Whether a connection was admitted. */
    isWithin,
    /** Counts a connection until it closes. One past a limit is closed unless it is admitted soon. */
    admit: (socket: Socket) => {
      if (admitIfRoom(socket)) return
      const timer = setTimeout(() => isWithin(socket) || socket.destroy(), surplusMillis)
      socket.once("close", () => clearTimeout(timer))
    },
    /** Whether a connection that has sent a request is admitted: an idle one is closed to make room for it. */
    admitRequest: (socket: Socket) => {
      if (isWithin(socket)) return true
      makeRoom(addressOf(socket))
      return admitIfRoom(socket)
    }
  }
}
