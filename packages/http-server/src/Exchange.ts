/** One request and the response that belongs to it. */
import { randomBytes } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Reply } from "./Reply.ts"
import * as SameTurn from "./SameTurn.ts"

/** One request and the response that belongs to it. */
export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly requestId: string
  readonly path: string
  readonly query: string
  /** The turn of the event loop that brought the request. */
  readonly turn: number
  /** Nothing else came in on its connection in that turn. */
  readonly isAlone: boolean
  /** The exchange before it on its connection, until that is finished. */
  earlier: Exchange | undefined
  /** The caller still waits for `100 Continue` before it sends the body. */
  awaitsContinue: boolean
}

/** Reads the head of a request; `previous` is the exchange before it on its connection. */
export const make = (
  request: IncomingMessage,
  response: ServerResponse,
  awaitsContinue: boolean,
  previous: Exchange | undefined
): Exchange => {
  const turn = SameTurn.current()
  const target = originForm(request.url ?? "")
  const mark = target.indexOf("?")
  return {
    request,
    response,
    requestId: requestIdOf(request),
    path: mark === -1 ? target : target.slice(0, mark),
    query: mark === -1 ? "" : target.slice(mark + 1),
    turn,
    earlier: previous?.response.closed === false ? previous : undefined,
    isAlone: previous === undefined || (previous.turn !== turn && !hasBody(previous)),
    awaitsContinue
  }
}

/** Whether the request brings a body, read or not. */
export const hasBody = ({ request: { headers } }: Exchange): boolean =>
  headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0"

/** Its request is here as a whole, its answer not yet out. */
const isInFlight = ({ request, response }: Exchange): boolean =>
  response.headersSent ? response.writableEnded && !response.writableFinished : request.complete

/** The exchanges of a connection that are in flight, by the latest of all. */
export const inFlight = (latest: Exchange | undefined): ReadonlyArray<Exchange> => {
  const found: Array<Exchange> = []
  for (let one = latest; one !== undefined; one = one.earlier) {
    if (isInFlight(one)) found.push(one)
  }
  return found
}

/** How often the request has a header, by its name in lower case. */
export const countHeader = ({ request: { rawHeaders } }: Exchange, name: string): number => {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const raw = rawHeaders[i]
    if (raw !== undefined && raw.length === name.length && raw.toLowerCase() === name) count++
  }
  return count
}

/** Sends the reply. With `last` the connection closes after it. */
export const send = (exchange: Exchange, reply: Reply, last: boolean): void => {
  const { request, response } = exchange
  const headers = ["X-Request-Id", exchange.requestId, "X-Content-Type-Options", "nosniff"]
  for (const name in reply.headers) headers.push(name, reply.headers[name] ?? "")
  const { body } = reply
  if (body !== undefined) {
    const length = Buffer.byteLength(body.content)
    headers.push("Content-Type", body.type, "Content-Length", String(length))
  }
  // Whoever waited with its body sends none now, and what follows an upgrade Node does not read.
  if (last || exchange.awaitsContinue || /\bupgrade\b/i.test(request.headers.connection ?? "")) {
    headers.push("Connection", "close")
  }
  response.writeHead(reply.status, headers)
  if (request.complete || !hasBody(exchange)) response.end(body?.content)
  else sendBeforeEnd(exchange, body?.content)
}

/**
 * Closing on a caller that still sends would reset the connection and lose the answer, so the rest
 * of the request is let through, unread, for as long as the server's time-out allows. A caller that
 * was waiting to be asked for its body most likely sends none, and is not waited for long.
 */
const sendBeforeEnd = (exchange: Exchange, content: string | undefined): void => {
  const { request, response } = exchange
  response.flushHeaders()
  if (content !== undefined) response.write(content)
  request.resume()
  request.once("end", () => response.end())
  if (exchange.awaitsContinue) {
    const timer = setTimeout(() => response.end(), lingerMillis)
    response.once("close", () => clearTimeout(timer))
  }
}

/** How long a connection that is to be closed may go on sending. */
export const lingerMillis = 1000

/** A new request id. */
export const newRequestId = (): string => `${idPrefix}-${(idCount++).toString(36)}`

const idPrefix = randomBytes(6).toString("hex")
let idCount = 0

const requestIdPattern = /^[A-Za-z0-9._-]{1,64}$/

/** The caller's request id, or a new one where it has none that can be used. */
export const requestIdOf = ({ headers }: IncomingMessage): string => {
  const header = headers["x-request-id"]
  return typeof header === "string" && requestIdPattern.test(header) ? header : newRequestId()
}

/** A request target may be a whole address; only what follows the authority concerns us. */
const originForm = (target: string): string => {
  if (target.startsWith("/")) return target
  const authority = /^https?:\/\/[^/?#]*/i.exec(target)
  return authority === null ? target : target.slice(authority[0].length) || "/"
}
