/** What the kernel has accepted from sockets, but their callers have not. */
import { readFileSync } from "node:fs"
import type { Socket } from "node:net"

/** How many bytes the kernel has for a socket; unknown on systems other than Linux. */
export type KernelQueues = (socket: Socket) => number | undefined

/** Reads the queues of all TCP connections. */
export const read = (): KernelQueues => {
  const bytes = new Map<string, number>()
  for (const file of ["/proc/net/tcp", "/proc/net/tcp6"]) {
    for (const [, local, remote, queued] of textOf(file).matchAll(line)) {
      const ports = `${local} ${remote}`
      // Connections of two callers may have the same ports; the sum changes with either.
      bytes.set(ports, (bytes.get(ports) ?? 0) + Number.parseInt(queued ?? "", 16))
    }
  }
  return ({ localPort, remotePort }) => bytes.get(`${hex(localPort)} ${hex(remotePort)}`)
}

/** The ports of both ends, and the length of the queue to be sent. */
const line = /^ *\d+: [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]{2} ([0-9A-F]{8}):/gm

const hex = (port = 0): string => port.toString(16).toUpperCase().padStart(4, "0")

const textOf = (file: string): string => {
  try {
    return readFileSync(file, "latin1")
  } catch {
    return ""
  }
}
