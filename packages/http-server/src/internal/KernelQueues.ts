/** What the kernel has accepted from sockets, but their callers have not. */
import { readFileSync } from "node:fs"
import type { Socket } from "node:net"
import * as Either from "effect/Either"

/** How many bytes the kernel has for a socket; unknown on systems other than Linux. */
export type KernelQueues = (socket: Socket) => number | undefined

/** Reads the queues of all TCP connections. */
export const read = (): KernelQueues => {
  const bytes = new Map<string, number>()
  for (const file of ["/proc/net/tcp", "/proc/net/tcp6"]) {
    for (const line of textOf(file).split("\n").slice(1)) {
      // The addresses and ports of both ends, the state, and the queues: `0100007F:1F90 … 01 00000000:00000000`.
      const [, local = "", remote = "", , queues = ""] = line.trim().split(/ +/)
      const ports = `${local.slice(-4)} ${remote.slice(-4)}`
      // Connections of two callers may have the same ports; the sum changes with either.
      bytes.set(ports, (bytes.get(ports) ?? 0) + Number.parseInt(queues, 16))
    }
  }
  return ({ localPort, remotePort }) => bytes.get(`${hex(localPort)} ${hex(remotePort)}`)
}

const hex = (port = 0): string => port.toString(16).toUpperCase().padStart(4, "0")

const textOf = (file: string): string =>
  Either.getOrElse(
    Either.try(() => readFileSync(file, "latin1")),
    () => ""
  )
