/** Connections that send what a test says, when it says so. */
import { connect, type Socket } from "node:net"

/** One connection and what has arrived on it. */
export class RawClient {
  readonly socket: Socket
  readonly connected: Promise<void>
  /** The status of the first answer, or how the connection ended without one. */
  readonly status: Promise<number | "closed" | "reset">
  received = ""

  constructor(url: string) {
    const { hostname, port } = new URL(url)
    this.socket = connect(Number(port), hostname)
    this.connected = new Promise((resolve) => this.socket.once("connect", () => resolve()))
    this.status = new Promise((resolve) => {
      this.socket.setEncoding("latin1").on("data", (text) => {
        this.received += text
        const status = /^HTTP\/1\.1 (\d{3}) [^\r]*\r\n.*\r\n\r\n.*[}\]]$/s.exec(this.received)?.[1]
        if (status !== undefined) resolve(Number(status))
      })
      this.socket.on("error", () => resolve("reset"))
      this.socket.on("close", () => resolve("closed"))
    })
  }

  send(text: string): void {
    this.socket.write(text)
  }
}

/** This many connections, once all of them are open. */
export const openAll = async (url: string, count: number): Promise<ReadonlyArray<RawClient>> => {
  const clients = Array.from({ length: count }, () => new RawClient(url))
  await Promise.all(clients.map((client) => client.connected))
  return clients
}

/** How often each status came. */
export const tally = async (clients: ReadonlyArray<RawClient>) => {
  const counts: Record<string, number> = {}
  for (const status of await Promise.all(clients.map((client) => client.status))) {
    counts[status] = (counts[status] ?? 0) + 1
  }
  return counts
}
