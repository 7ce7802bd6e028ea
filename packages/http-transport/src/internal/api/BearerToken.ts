/** Reads the bearer token of a request, and refuses callers without a valid one. */

import * as Direct from "@petstore/kernel/Direct"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Authentication, Caller } from "../../Authentication.ts"
import * as ErrorBody from "../../ErrorBody.ts"
import * as Exchange from "../exchange/Exchange.ts"
import * as Reply from "../exchange/Reply.ts"

const bearer = /^bearer +([^\s,]+)$/i

/** Finds the caller of a request, or the answer that refuses it. Notes what it found. */
export const make = ({ authenticate }: Authentication["Type"], realm: string) => {
  const refuse = (message: string, error = "") =>
    Reply.refuse("unauthorized", message, [["WWW-Authenticate", `Bearer realm="${realm}"${error}`]])
  const noKey = Exit.fail(refuse(ErrorBody.keyRequired))
  const wrongKey = refuse("the API key is not valid", ', error="invalid_token"')
  const outdated = Reply.refuse("unavailable", ErrorBody.keysUnreadable)

  return (exchange: Exchange.Exchange): Effect.Effect<Caller, Reply.Reply> => {
    const { notes, request } = exchange
    const header = request.headers.authorization
    const token = header === undefined ? undefined : bearer.exec(header)?.[1]
    if (token === undefined || Exchange.countHeader(exchange, "authorization") > 1) {
      notes.keyRefusal = "missing"
      return noKey
    }
    return Direct.mapBoth(authenticate(token), {
      onFailure: ({ id, reason }) => {
        notes.keyId = id
        notes.keyRefusal = reason
        return reason === "outdated" ? outdated : wrongKey
      },
      onSuccess: (caller) => {
        notes.keyId = caller.id
        return caller
      }
    })
  }
}

/** The answer to a caller that lacks a scope. */
export const forbidden = (realm: string, scope: string) =>
  Reply.fail("forbidden", ErrorBody.lacksScope(scope), [
    ["WWW-Authenticate", `Bearer realm="${realm}", error="insufficient_scope", scope="${scope}"`]
  ])
