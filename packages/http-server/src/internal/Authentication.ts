/** Authenticates callers by the digest of their key. */
import type { Grant, Scope } from "@petstore/access/ApiKey"
import type { ApiKeys } from "@petstore/access/ApiKeys"
import { digest } from "@petstore/access/NodeKeyMaker"
import * as Either from "effect/Either"
import * as Exchange from "./Exchange.ts"
import * as Reply from "./Reply.ts"

const bearer = /^bearer +([^\s,]+)$/i
const challenge = 'Bearer realm="petstore"'

const noKey = Either.left(
  Reply.refuse(
    "unauthorized",
    "an API key is required: send the header Authorization: Bearer <key>",
    ["WWW-Authenticate", challenge]
  )
)
const wrongKey = Either.left(
  Reply.refuse("unauthorized", "the API key is not valid", [
    "WWW-Authenticate",
    `${challenge}, error="invalid_token"`
  ])
)

const outdated = Either.left(Reply.refuse("unavailable", "the API keys cannot be read"))

/** The key of a request, or the answer that refuses it. Notes in the exchange what was found. */
export const authenticate = (
  apiKeys: ApiKeys["Type"],
  exchange: Exchange.Exchange
): Either.Either<Grant, Reply.Reply> => {
  const header = exchange.request.headers.authorization
  const key = header === undefined ? undefined : bearer.exec(header)?.[1]
  if (key === undefined || Exchange.countHeader(exchange, "authorization") > 1) {
    exchange.keyRefusal = "missing"
    return noKey
  }
  const found = apiKeys.authenticate(digest(key))
  if (Either.isRight(found)) {
    exchange.keyId = found.right.id
    return Either.right(found.right)
  }
  exchange.keyId = found.left.id
  exchange.keyRefusal = found.left.reason
  return found.left.reason === "outdated" ? outdated : wrongKey
}

/** The answer to a key that lacks a scope. */
export const forbidden = (scope: Scope) =>
  Reply.fail("forbidden", `the API key lacks the scope ${scope}`, [
    "WWW-Authenticate",
    `${challenge}, error="insufficient_scope", scope="${scope}"`
  ])
