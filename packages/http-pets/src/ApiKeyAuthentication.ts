/** Callers with API keys. */
import { ApiKeys } from "@petstore/access/ApiKeys"
import { idOf } from "@petstore/access/KeyText"
import { digest } from "@petstore/access/NodeKeyMaker"
import { Authentication } from "@petstore/http-transport/Authentication"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** Authenticates callers by their keys. */
export const layer: Layer.Layer<Authentication, never, ApiKeys> = Layer.effect(
  Authentication,
  Effect.map(ApiKeys, ({ authenticate, isCurrent }) => ({
    authenticate: (token) => authenticate(digest(token), () => idOf(token) !== undefined),
    isReady: isCurrent
  }))
)
