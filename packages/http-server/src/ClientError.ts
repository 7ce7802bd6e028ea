/** Answering what is not HTTP as we speak it, where there is no request to answer. */
import { type IncomingMessage, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import * as Exchange from "./Exchange.ts"
import * as Reply from "./Reply.ts"

const refused = new WeakSet<Duplex>()

const notHttp = Reply.refuse("bad_request", "the request is not valid HTTP")

/** Answers an error of the HTTP parser on the connection itself, and closes it. */
export const answer = (
  error: NodeJS.ErrnoException,
  socket: Duplex,
  current: Exchange.Exchange | undefined
): void => {
  // The parser complains again of every further byte on a connection it has given up.
  if (refused.has(socket)) return
  refused.add(socket)
  const reply = refusalOf(error)
  if (current === undefined || current.response.writableFinished) {
    write(socket, reply, Exchange.newRequestId())
    return
  }
  const { request, requestId, response } = current
  if (request.complete) {
    // The error is of what follows: first the answer that is owed, then this one.
    response.once("close", () => write(socket, reply, Exchange.newRequestId()))
  } else if (response.socket === null) {
    // An earlier request on this connection is still owed its answer.
    response.once("socket", () => setImmediate(write, socket, reply, requestId))
  } else if (response.headersSent) {
    // It was answered while it was still coming in, and no second answer may follow.
    response.end()
    linger(socket)
  } else {
    write(socket, reply, requestId)
  }
}

/** Answers CONNECT, which Node hands over with a bare socket. */
export const refuseConnect = (
  request: IncomingMessage,
  socket: Duplex,
  current: Exchange.Exchange | undefined
): void => {
  const reply = Reply.refuse("bad_request", "CONNECT is not served here")
  const refuse = () => write(socket, reply, Exchange.requestIdOf(request))
  // Node no longer listens on a socket that it has handed over.
  socket.on("error", () => socket.destroy())
  if (current === undefined || current.response.writableFinished) refuse()
  else current.response.once("close", refuse)
}

/** What is wrong with a request that the parser let pass, if anything. */
export const refuseHead = (exchange: Exchange.Exchange): Reply.Reply | undefined => {
  const { httpVersion } = exchange.request
  if (httpVersion !== "1.1" && httpVersion !== "1.0") return notHttp
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
      return notHttp
  }
}

/** Ends the answer at once but the connection a little later: a reset would lose the answer. */
const write = (socket: Duplex, { body, headers, status }: Reply.Reply, requestId: string): void => {
  if (!socket.writable) return void socket.destroy()
  const content = body?.content ?? ""
  const lines = Object.entries({
    "X-Request-Id": requestId,
    "X-Content-Type-Options": "nosniff",
    ...headers,
    "Content-Type": body?.type ?? "",
    "Content-Length": String(Buffer.byteLength(content)),
    Date: new Date().toUTCString(),
    Connection: "close"
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${content}`)
  linger(socket)
}

const linger = (socket: Duplex): void => {
  const timer = setTimeout(() => socket.destroy(), Exchange.lingerMillis)
  socket.once("close", () => clearTimeout(timer))
}
