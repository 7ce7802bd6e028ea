/** Lets large answers wait until there is memory to send them. */
import * as Direct from "@petstore/direct/Direct"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { pieceBytes } from "./Backlog.ts"
import type { Exchange } from "./Exchange.ts"
import * as Memo from "./Memo.ts"
import type { Reply } from "./Reply.ts"

type Answer = Effect.Effect<Reply, Reply>

/**
 * Answers GET, which is safe to repeat, in turn: if the last answer to the same target was large, this waits before it
 * answers; if an answer turns out to be large, it is discarded and made again when it is its turn.
 */
export const make = (): ((exchange: Exchange, answer: () => Answer) => Answer) => {
  /** The lengths of the last large answers, by target. */
  const lengths = new Memo.ShortTexts<number>()

  return ({ backlog, request: { method, socket, url = "" } }, answer) => {
    if (method !== "GET") return answer()
    const later = (bytes: number) =>
      Direct.flatMap(backlog.reserveInTurn(socket, bytes), () => attempt(true))
    const attempt = (isReserved: boolean): Answer =>
      Direct.flatMap(answer(), (reply) => {
        const bytes = reply.body?.bytes ?? 0
        if (bytes > pieceBytes) lengths.set(url, bytes)
        else lengths.delete(url)
        return isReserved || backlog.reserve(socket, bytes) ? Exit.succeed(reply) : later(bytes)
      })
    const expected = lengths.get(url)
    return expected === undefined ? attempt(false) : later(expected)
  }
}
