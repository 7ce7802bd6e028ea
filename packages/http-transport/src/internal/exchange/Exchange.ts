/** One request and the response that belongs to it. */
import { randomBytes } from "node:crypto"
import { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Body, Header, Headers, Reply } from "./Reply.ts"

/** What is found out about a request while it is handled, for those that observe it. */
export interface Notes {
  /** The path of the endpoint, such as `/v1/things/{id}`. */
  route?: string | undefined
  /** The parameters of the query, as the endpoint decoded them. */
  parameters?: unknown
  /** The id of the caller's API key. */
  keyId?: string | undefined
  /** Why the caller's API key was refused, such as `missing` or `revoked`. */
  keyRefusal?: string
  /** The id of the trace that the request belongs to. */
  traceId?: string
  /** Whether the service has too much to do to handle it. */
  isShed?: boolean
}

/** One request and the response that belongs to it. */
export class Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly requestId: string
  readonly path: string
  readonly query: string
  /** When the request's head had arrived, by `performance.now()`. */
  readonly startedAt = performance.now()
  readonly notes: Notes = {}
  /** Headers of the answer, whatever it is: also of one that no handler makes. */
  headers: Headers = none
  /** The caller still waits for `100 Continue` before it sends the body. */
  awaitsContinue: boolean
  /** The answer instead of the handler's, once the rest of the request turns out to be malformed. */
  refusal: Reply | undefined

  /** Reads the head of a request. */
  constructor(request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean) {
    const target = originForm(request.url ?? "")
    const mark = target.indexOf("?")
    this.request = request
    this.response = response
    this.requestId = requestIdOf(request)
    this.path = mark === -1 ? target : target.slice(0, mark)
    this.query = mark === -1 ? "" : target.slice(mark + 1)
    this.awaitsContinue = awaitsContinue
  }
}

/** An answer to something that Node makes no response for: malformed input, or CONNECT. */
export const fromSocket = (
  socket: Socket,
  refusal: Reply,
  request = new IncomingMessage(socket)
): Exchange => {
  const response = new ServerResponse(request)
  response.once("finish", () => socket.destroySoon())
  const exchange = new Exchange(request, response, false)
  exchange.refusal = refusal
  return exchange
}

/** Whether the request brings a body, read or not. */
export const hasBody = ({ request: { headers } }: Exchange): boolean =>
  headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0"

/** Whether the answer is still to be made, or to be sent. */
export const isOwed = ({ request, response }: Exchange): boolean =>
  !response.writableFinished && !(response.headersSent && request.socket.writableLength === 0)

/** Whether the connection closes after this answer, whatever the answer is. */
export const isLast = ({ awaitsContinue, request, response }: Exchange): boolean =>
  // A caller told not to send its body sends none; what follows an upgrade Node does not read.
  awaitsContinue ||
  !response.shouldKeepAlive ||
  /\bupgrade\b/i.test(request.headers.connection ?? "") ||
  // HTTP/1.0 has no chunks, so a proxy may see another end of the body than Node does.
  (request.httpVersionMinor === 0 && request.headers["transfer-encoding"] !== undefined)

/** How often the request has a header, by its name in lower case. */
export const countHeader = ({ request: { rawHeaders } }: Exchange, name: string): number => {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const raw = rawHeaders[i]
    if (raw !== undefined && raw.length === name.length && raw.toLowerCase() === name) count++
  }
  return count
}

/** The headers of the answer, but for those of the connection. */
export const headersOf = (
  exchange: Exchange,
  { body = nothing, headers }: Reply
): Array<Header> => {
  const all: Array<Header> = [["X-Request-Id", exchange.requestId], noSniff]
  all.push(...headers, ...body.headers)
  if (exchange.headers.length > 0) all.push(...exchange.headers)
  return all
}

/** Sends the reply, closing the connection after it or not. */
export const send = (exchange: Exchange, reply: Reply, isLast: boolean): void => {
  const { response } = exchange
  const { body = nothing } = reply
  const headers = headersOf(exchange, reply)
  if (isLast) headers.push(closing)
  // Node takes pairs, but its types say that they may change.
  response.writeHead(reply.status, headers as Array<[string, string]>)
  if (isOver(exchange)) return void response.end(body.content)
  response.flushHeaders()
  response.write(body.content)
  discardRest(exchange)
}

const none: Headers = []
const noSniff: Header = ["X-Content-Type-Options", "nosniff"]
const closing: Header = ["Connection", "close"]
const nothing: Body = { content: "", bytes: 0, headers: none }

/** Whether the request has ended, or its rest does not matter. */
const isOver = (exchange: Exchange): boolean =>
  exchange.request.complete || !hasBody(exchange) || exchange.refusal !== undefined

/**
 * Closing before the request has ended would reset the connection and lose the answer, so the rest of
 * the request is read and discarded, for as long as the request may take. A caller that awaits
 * `100 Continue` most likely sends nothing more, so it gets a second.
 */
const discardRest = (exchange: Exchange): void => {
  const { request, response } = exchange
  const end = () => response.end()
  let small = 0
  request.once("end", end).on("data", (piece: Buffer) => {
    if (isSmallPiece(piece) && ++small > maxSmallPieces) request.socket.destroy()
  })
  if (exchange.awaitsContinue) {
    const timer = setTimeout(end, continueMillis)
    response.once("close", () => clearTimeout(timer))
  }
}

const continueMillis = 1000

/**
 * How many small pieces of a body are read, and how many of its rest are discarded. Each costs as much as a large one, and
 * Node handles all that it has read in one turn, which may be 300,000 pieces of one byte.
 */
export const maxSmallPieces = 1000
export const smallPiece = 64
export const isSmallPiece = ({ length }: Uint8Array): boolean => length < smallPiece

const idPrefix = randomBytes(6).toString("hex")
let idCount = 0

const requestIdPattern = /^[A-Za-z0-9._-]{1,64}$/

/** The caller's request id if it is valid, or a new one. */
const requestIdOf = ({ headers }: IncomingMessage): string => {
  const header = headers["x-request-id"]
  return typeof header === "string" && requestIdPattern.test(header)
    ? header
    : `${idPrefix}-${(idCount++).toString(36)}`
}

/** The path and query of a request target, which may be a whole URL. */
const originForm = (target: string): string => {
  if (target.startsWith("/")) return target
  const authority = /^https?:\/\/[^/?#]*/i.exec(target)
  if (authority === null) return target
  const rest = target.slice(authority[0].length)
  return rest.startsWith("/") ? rest : `/${rest}`
}
