/** Answers to malformed requests. */
import * as Exchange from "../exchange/Exchange.ts"
import * as Reply from "../exchange/Reply.ts"

/** How many headers a request may have. Older versions of Node keep some more, which tells. */
export const maxHeaders = 100

const tooLarge = Reply.refuse(
  "headers_too_large",
  "the request's headers are too large, or too many"
)
const notHttp = Reply.refuse("bad_request", "the request is not valid HTTP")

/** A request that is not finished when the time to stop is over. */
export const tooLate = Reply.refuse("unavailable", "the service is shutting down")

/** CONNECT is never served. */
export const connect = Reply.refuse("bad_request", "CONNECT is not served here")

/** The answer to an error of Node's HTTP parser. */
export const fromParser = ({ code }: NodeJS.ErrnoException): Reply.Reply => {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return tooLarge
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return Reply.refuse("request_timeout", "the request arrived too slowly")
    default:
      return notHttp
  }
}

/** What is wrong with a head that the parser accepted, if anything. */
export const fromHead = (exchange: Exchange.Exchange): Reply.Reply | undefined => {
  const { headers, httpVersion, rawHeaders } = exchange.request
  if (rawHeaders.length > 2 * maxHeaders) return tooLarge
  if (httpVersion !== "1.1" && httpVersion !== "1.0") return notHttp
  // Node accepts empty codings, also beside a length; a proxy may read them differently.
  if (/^[\s,]*$/.test(headers["transfer-encoding"] ?? "chunked")) return notHttp
  const hosts = Exchange.countHeader(exchange, "host")
  if (hosts === 1 || (hosts === 0 && httpVersion === "1.0")) return undefined
  return Reply.refuse("bad_request", "the request needs exactly one Host header")
}
