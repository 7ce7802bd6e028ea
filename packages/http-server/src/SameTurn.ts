/** Answering requests that came in together with one answer. */
import * as Effect from "effect/Effect"
import * as Eager from "./Eager.ts"
import type { Exchange } from "./Exchange.ts"
import type { Reply } from "./Reply.ts"

/** Which turn of the event loop this is. */
export const current = (): number => {
  if (count === 0) setImmediate(next)
  // Of very many sockets the event loop may ask more than once in a turn, so a long one is cut.
  if (++count % longest === 0) turn++
  return turn
}

const longest = 256
let turn = 0
let count = 0
const next = () => {
  count = 0
  turn++
}

/**
 * A turn of the event loop brings in the requests that were there when it began. Those that ask for
 * the same thing get what the first of them got, when that was had within the turn: it was read
 * after each of them was sent. A request whose connection had others in this turn may have been
 * sent since, so it is always asked anew.
 */
export const make = (): ((
  exchange: Exchange,
  key: string,
  ask: () => Effect.Effect<Reply, Reply>
) => Effect.Effect<Reply, Reply>) => {
  const known = new Map<string, Effect.Effect<Reply>>()
  let since = turn
  return (exchange, key, ask) => {
    if (exchange.turn !== since) {
      known.clear()
      since = exchange.turn
    }
    const found = exchange.isAlone ? known.get(key) : undefined
    if (found !== undefined) return found
    return Eager.flatMap(ask(), (reply) => {
      const answer = Effect.succeed(reply)
      if (exchange.turn === since && exchange.turn === current()) known.set(key, answer)
      return answer
    })
  }
}
