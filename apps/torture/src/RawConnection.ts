/** A connection whose requests are written byte by byte, and whose answers are read as they arrive. */
import { once } from "node:events"
import { connect } from "node:net"
import { headers } from "./Load.ts"

/** An answer that arrived whole. */
export interface Answer {
  readonly status: number
  readonly body: string
  /** Whether it says that the connection closes after it. */
  readonly isLast: boolean
  /** When its last byte arrived. */
  readonly at: number
}

/** A connection to a port of this machine. */
export interface RawConnection {
  /** Hands these bytes to the kernel. */
  readonly write: (text: string) => Promise<void>
  /** The answers that have arrived whole. */
  readonly answers: ReadonlyArray<Answer>
  /** Waits until this many have arrived, or the connection is closed. */
  readonly until: (many: number) => Promise<void>
  /** Completes once it is closed, by either side. */
  readonly closed: Promise<void>
  /** What arrived after the last whole answer. */
  readonly rest: () => string
  readonly close: () => void
}

/** Opens a connection. Rejects if it is refused. */
export const open = async (port: number): Promise<RawConnection> => {
  const socket = connect({ host: "127.0.0.1", port, noDelay: true })
  await once(socket, "connect")
  const answers: Array<Answer> = []
  let rest = ""
  // Bytes as characters, so that lengths are those of the bytes.
  socket.setEncoding("latin1").on("data", (chunk) => {
    rest += chunk
    for (let found = take(rest); found !== undefined; found = take(rest)) {
      answers.push(found.answer)
      rest = rest.slice(found.length)
    }
  })
  socket.on("error", () => {})
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()))
  return {
    write: (text) => new Promise((resolve) => socket.write(text, () => resolve())),
    answers,
    until: async (many) => {
      while (answers.length < many && !socket.closed)
        await Promise.race([closed, new Promise((resolve) => socket.once("data", resolve))])
    },
    closed,
    rest: () => rest,
    close: () => socket.destroy()
  }
}

/** The first answer of these bytes, if it is whole. */
const take = (text: string): { answer: Answer; length: number } | undefined => {
  const end = text.indexOf("\r\n\r\n")
  if (end < 0) return undefined
  const head = text.slice(0, end)
  const length = end + 4 + Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0)
  if (text.length < length) return undefined
  const body = Buffer.from(text.slice(end + 4, length), "latin1").toString()
  const isLast = /^connection: close$/im.test(head)
  return {
    answer: { status: Number(head.slice(9, 12)), body, isLast, at: performance.now() },
    length
  }
}

/** A request for the list. */
export const list = `GET /v1/pets?limit=100 HTTP/1.1\r\nHost: pets\r\nAuthorization: ${headers.authorization}\r\n\r\n`

/** A request that adds a pet. */
export const create = (pet: object): string => {
  const body = JSON.stringify(pet)
  return `POST /v1/pets HTTP/1.1\r\nHost: pets\r\nAuthorization: ${headers.authorization}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}
