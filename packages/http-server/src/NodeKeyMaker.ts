/** Makes keys with Node's cryptography, at the edge where the texts of keys are known. */
import { randomBytes } from "node:crypto"
import { KeyMaker } from "@petstore/domain/KeyMaker"
import * as KeyText from "@petstore/domain/KeyText"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Authentication from "./Authentication.ts"

/** Keys of the system's own randomness, digested as `Authentication` digests what callers bring. */
export const layer: Layer.Layer<KeyMaker> = Layer.succeed(KeyMaker, {
  make: Effect.sync(() => {
    const { id, text } = KeyText.fromBytes(randomBytes(KeyText.randomBytes))
    return { id, text: Redacted.make(text), digest: Authentication.digest(text) }
  })
})
