/** Reads a request's JSON body, up to a size limit. */

import * as Direct from "@petstore/kernel/Direct"
import * as Turn from "@petstore/kernel/Turn"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Json from "../../Json.ts"
import * as Exchange from "./Exchange.ts"
import * as Reply from "./Reply.ts"

// White space is matched in one way only, so that the time is linear in the length.
const jsonType = /^application\/json[ \t]*(?:;[ \t]*(?:charset=(?:utf-8|"utf-8")[ \t]*)?)*$/i
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** The value of a JSON body of at most this many bytes, or the answer that refuses it. */
export const json = (
  exchange: Exchange.Exchange,
  maxBytes: number
): Effect.Effect<unknown, Reply.Reply> => {
  const { headers } = exchange.request
  if (!jsonType.test(headers["content-type"] ?? "")) {
    return Reply.fail("unsupported_media_type", "the Content-Type must be application/json")
  }
  if (headers["content-encoding"] !== undefined) {
    return Reply.fail("unsupported_media_type", "the body must have no Content-Encoding")
  }
  if (/,[ \t]*chunked$/i.test(headers["transfer-encoding"] ?? "")) {
    const why = "the body must have no Transfer-Encoding but chunked"
    return Reply.fail("unsupported_media_type", why)
  }
  if (Number(headers["content-length"] ?? 0) > maxBytes) return tooLarge(maxBytes)
  return Direct.flatMap(bytes(exchange, maxBytes), decode)
}

const tooLarge = (maxBytes: number) =>
  Reply.fail("payload_too_large", `the body must have at most ${maxBytes} bytes`)

/** Never completes if the caller disconnects. */
const bytes = (exchange: Exchange.Exchange, maxBytes: number) =>
  Direct.async<Buffer, Reply.Reply>((callback) => {
    const { request, response } = exchange
    const expected = Number(request.headers["content-length"] ?? maxBytes)
    let content: Buffer = nothing
    let size = 0
    let smallPieces = 0
    let takeBack = () => {}
    const onData = (chunk: Buffer) => {
      const end = size + chunk.length
      if (end > maxBytes) return settle(tooLarge(maxBytes))
      if (Exchange.isSmallPiece(chunk) && ++smallPieces > Exchange.maxSmallPieces)
        return settle(tooManyPieces)
      held += chunk.length
      content = append(content, size, chunk, expected)
      size = end
      if (size <= smallBytes) return
      unfinished.add(settle)
      // The oldest makes room: an honest one does not take long.
      for (const refuse of unfinished) {
        if (held <= maxHeld) return
        refuse(tooMuch)
      }
    }
    const onEnd = () => {
      const handle = size > smallBytes ? handleLarge : handleSmall
      takeBack = handle(() => settle(Exit.succeed(content.subarray(0, size))))
    }
    // It may be called twice.
    const stop = () => {
      request.off("data", onData).off("end", onEnd)
      takeBack()
      unfinished.delete(settle)
      held -= size
      size = 0
    }
    const settle = (exit: Exit.Exit<Buffer, Reply.Reply>) => {
      stop()
      callback(exit)
    }
    if (exchange.awaitsContinue) {
      exchange.awaitsContinue = false
      response.writeContinue()
    }
    request.on("data", onData).on("end", onEnd)
    return stop
  })

const tooManyPieces = Reply.fail(
  "bad_request",
  `the body has more than ${Exchange.maxSmallPieces} pieces of fewer than ${Exchange.smallPiece} bytes`
)

/** How many bytes of unfinished bodies are held, on all connections; past the limit the oldest large ones are refused. */
let held = 0
const maxHeld = 67_108_864
const smallBytes = 4096
const unfinished = new Set<(refusal: Exit.Exit<never, Reply.Reply>) => void>()
const tooMuch = Reply.fail("unavailable", "too many bodies are being received; try again")

/** Small bodies do not wait for large ones. */
const handleSmall = Turn.makeRunner()
const handleLarge = Turn.makeRunner()

const nothing = Buffer.alloc(0)

/** One buffer instead of many pieces, since a body may come in pieces of one byte. */
const append = (content: Buffer, size: number, piece: Buffer, expected: number): Buffer => {
  if (size === 0) return piece
  const end = size + piece.length
  if (content.length < end) {
    const room = Buffer.alloc(Math.max(end, Math.min(2 * end, expected)))
    content.copy(room, 0, 0, size)
    content = room
  }
  piece.copy(content, size)
  return content
}

const decode = (content: Buffer): Effect.Effect<unknown, Reply.Reply> => {
  const text = Either.try(() => utf8.decode(content))
  if (Either.isLeft(text)) return malformed("is not UTF-8")
  if (text.right.trim() === "") return malformed("is empty")
  return Either.match(Json.parse(text.right), {
    onLeft: (error) => malformed(`is not JSON: ${error.message}`),
    onRight: Effect.succeed
  })
}

const malformed = (why: string) => Reply.fail("malformed_json", `the body ${why}`)
