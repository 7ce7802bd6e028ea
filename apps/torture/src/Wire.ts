/** HTTP as bytes: connections that send anything, and answers that are read strictly. */
import { connect, type Socket } from "node:net"
import { key } from "./Service.ts"

/** An answer, as it arrived. */
export interface Answer {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: Buffer
}

/** The end of a connection before an answer was whole, or bytes that are no answer. */
export class Broken extends Error {}

/** A request with the key of the service, and with this as JSON. */
export const request = (line: string, content?: unknown): string => {
  const head = `${line} HTTP/1.1\r\nHost: pets\r\nAuthorization: Bearer ${key}\r\n`
  if (content === undefined) return `${head}\r\n`
  const body = JSON.stringify(content)
  return `${head}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

const headEnd = Buffer.from("\r\n\r\n")
const maxHeadBytes = 16_384
const withoutContent = new Set([204, 304])

/**
 * Reads one answer at the start of these bytes: it and its length, or nothing if it is not whole yet. That to HEAD has no
 * content, which cannot be known from its bytes: where one may be, this is guessed.
 */
export const parse = (
  bytes: Buffer,
  mayBeHead = false
): { readonly answer: Answer; readonly length: number } | undefined => {
  const end = bytes.indexOf(headEnd)
  if (end === -1) {
    if (bytes.length > maxHeadBytes) throw new Broken("an answer has a head without an end")
    return undefined
  }
  const [first = "", ...lines] = bytes.toString("latin1", 0, end).split("\r\n")
  const status = Number(/^HTTP\/1\.1 ([1-5]\d\d) [ -~]*$/.exec(first)?.[1])
  if (Number.isNaN(status)) throw new Broken(`an answer begins with ${JSON.stringify(first)}`)
  const from = end + headEnd.length
  if (status === 100) {
    const next = parse(bytes.subarray(from), mayBeHead)
    return next && { answer: next.answer, length: from + next.length }
  }
  const headers = new Map<string, string>()
  for (const line of lines) {
    const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ([\t -~]*)$/.exec(line) ?? []
    if (name === undefined || value === undefined)
      throw new Broken(`a header is ${JSON.stringify(line)}`)
    if (headers.has(name.toLowerCase())) throw new Broken(`an answer has two ${name}`)
    headers.set(name.toLowerCase(), value)
  }
  const isEmpty =
    withoutContent.has(status) ||
    (mayBeHead && (bytes.length === from || bytes.toString("latin1", from, from + 7) === "HTTP/1."))
  const length = isEmpty ? 0 : Number(headers.get("content-length"))
  if (!(length >= 0)) throw new Broken(`an answer of status ${status} has no length`)
  if (bytes.length < from + length) return undefined
  const body = bytes.subarray(from, from + length)
  return { answer: { status, headers, body }, length: from + length }
}

/** A connection. */
export interface Connection {
  readonly socket: Socket
  /** Reads the next answer. Rejects if the connection ends before, or if nothing comes for a minute. */
  readonly read: () => Promise<Answer>
  /** Waits until the other end has closed it, and gives all that was not read. */
  readonly closed: () => Promise<Buffer>
}

const silenceMillis = 60_000

/** Connects to a port of this machine. */
export const open = (port: number): Connection => {
  const socket = connect({ host: "127.0.0.1", port, noDelay: true })
  let bytes: Buffer = Buffer.alloc(0)
  let ended: string | undefined
  let wake = () => {}
  socket.setTimeout(silenceMillis, () => end("nothing arrived for a minute"))
  const end = (why: string) => {
    ended ??= why
    wake()
  }
  socket.on("data", (chunk) => {
    bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk])
    wake()
  })
  socket.on("error", (error) => end(error.message))
  socket.on("end", () => end("it was closed"))
  socket.on("close", () => end("it was closed"))
  const changed = () =>
    new Promise<void>((resolve) => {
      wake = resolve
    })
  return {
    socket,
    read: async () => {
      for (;;) {
        const one = parse(bytes)
        if (one !== undefined) {
          bytes = bytes.subarray(one.length)
          return one.answer
        }
        if (ended !== undefined) throw new Broken(`a request got no whole answer: ${ended}`)
        await changed()
      }
    },
    closed: async () => {
      while (ended === undefined) await changed()
      if (ended.startsWith("nothing")) throw new Broken("a connection was not closed")
      return bytes
    }
  }
}
