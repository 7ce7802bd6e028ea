/** Reads the bearer token of a request, and refuses callers without a valid one. */

import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Authentication, Caller, Refusal } from "../../Authentication.ts"
import * as ErrorBody from "../../ErrorBody.ts"
import * as Exchange from "../exchange/Exchange.ts"
import * as Reply from "../exchange/Reply.ts"

const bearer = /^bearer +([^\s,]+)$/i

/** Why callers cannot be authenticated now. */
export const keysAreUnreadable = "the API keys cannot be read"

/** A caller, or the answer that refuses it. */
export type Found = Either.Either<Caller, Reply.Reply>

const isImmediate = (
  answer: Effect.Effect<Caller, Refusal>
): answer is Either.Either<Caller, Refusal> => Either.isEither(answer)

/** Finds the caller of a request, or the answer that refuses it. Notes in the exchange what was found. */
export const make = ({ authenticate }: Authentication["Type"], realm: string) => {
  const refuse = (message: string, error = "") =>
    Either.left(
      Reply.refuse("unauthorized", message, ["WWW-Authenticate", `Bearer realm="${realm}"${error}`])
    )
  const noKey = refuse(ErrorBody.keyRequired)
  const wrongKey = refuse("the API key is not valid", ', error="invalid_token"')
  const outdated = Either.left(Reply.refuse("unavailable", keysAreUnreadable))

  const note = (exchange: Exchange.Exchange, answer: Either.Either<Caller, Refusal>): Found => {
    if (Either.isRight(answer)) {
      exchange.keyId = answer.right.id
      return Either.right(answer.right)
    }
    const { id, reason } = answer.left
    exchange.keyId = id
    exchange.keyRefusal = reason
    return reason === "outdated" ? outdated : wrongKey
  }

  return (exchange: Exchange.Exchange): Found | Effect.Effect<Found> => {
    const header = exchange.request.headers.authorization
    const token = header === undefined ? undefined : bearer.exec(header)?.[1]
    if (token === undefined || Exchange.countHeader(exchange, "authorization") > 1) {
      exchange.keyRefusal = "missing"
      return noKey
    }
    const answer = authenticate(token)
    return isImmediate(answer)
      ? note(exchange, answer)
      : Effect.map(Effect.either(answer), (answer) => note(exchange, answer))
  }
}

/** The answer to a caller that lacks a scope. */
export const forbidden = (realm: string, scope: string) =>
  Reply.fail("forbidden", ErrorBody.lacksScope(scope), [
    "WWW-Authenticate",
    `Bearer realm="${realm}", error="insufficient_scope", scope="${scope}"`
  ])
