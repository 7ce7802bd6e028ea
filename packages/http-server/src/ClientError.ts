/** Answering what is not HTTP as we speak it, where there is no request to answer. */
import { STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import * as Exchange from "./Exchange.ts"
import * as Reply from "./Reply.ts"

/** How long a refused connection may go on sending before it is cut. */
const lingerMillis = 1000

const refused = new WeakSet<Duplex>()

/** Answers an error of the HTTP parser on the connection itself, and closes it. */
export const answer = (
  error: NodeJS.ErrnoException,
  socket: Duplex,
  current: Exchange.Exchange | undefined
): void => {
  // The parser complains again of every further byte on a connection it has given up.
  if (refused.has(socket)) return
  refused.add(socket)
  const response = current?.response
  if (response !== undefined && !response.writableFinished) {
    // Half an answer is out, or is owed to an earlier request: nothing may be written before it.
    if (response.headersSent && !response.writableEnded) return void socket.destroy()
    if (current?.request.complete === true) {
      response.once("close", () => write(socket, refusalOf(error)))
      return
    }
  }
  write(socket, refusalOf(error))
}

/** Answers CONNECT, which Node hands over with a bare socket. */
export const refuseConnect = (socket: Duplex): void =>
  write(socket, Reply.refuse("bad_request", "CONNECT is not served here"))

/** What is wrong with a request that the parser let pass, if anything. */
export const refuseHead = (exchange: Exchange.Exchange): Reply.Reply | undefined => {
  const { httpVersion } = exchange.request
  const hosts = Exchange.countHeader(exchange, "host")
  if (hosts === 1 || (hosts === 0 && httpVersion === "1.0")) return undefined
  return Reply.refuse("bad_request", "the request needs exactly one Host header")
}

const refusalOf = (error: NodeJS.ErrnoException): Reply.Reply => {
  switch (error.code) {
    case "HPE_HEADER_OVERFLOW":
      return Reply.refuse("headers_too_large", "the request's headers are too large")
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return Reply.refuse("request_timeout", "the request arrived too slowly")
    default:
      return Reply.refuse("bad_request", "the request is not valid HTTP")
  }
}

/** Ends the answer at once but the connection a little later: a reset would lose the answer. */
const write = (socket: Duplex, { body, headers, status }: Reply.Reply): void => {
  if (!socket.writable) return void socket.destroy()
  const content = String(body?.content ?? "")
  const lines = Object.entries({
    "X-Request-Id": Exchange.newRequestId(),
    "X-Content-Type-Options": "nosniff",
    ...headers,
    "Content-Type": body?.type ?? "",
    "Content-Length": String(Buffer.byteLength(content)),
    Connection: "close"
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${content}`)
  const timer = setTimeout(() => socket.destroy(), lingerMillis)
  socket.once("close", () => clearTimeout(timer))
}
