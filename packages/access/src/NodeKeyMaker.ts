/** Random bytes and SHA-256 from Node's crypto: the implementation of {@link KeyMaker} for Node. */
import { hash, randomBytes } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { KeyDigest } from "./ApiKey.ts"
import { KeyMaker } from "./KeyMaker.ts"
import * as KeyText from "./KeyText.ts"

/** The SHA-256 digest of a key's text. */
export const digest = (text: string): KeyDigest => KeyDigest.make(hash("sha256", text), true)

/** Makes keys of the operating system's random bytes. */
export const layer: Layer.Layer<KeyMaker> = Layer.succeed(KeyMaker, {
  make: Effect.sync(() => {
    const { id, text } = KeyText.fromBytes(randomBytes(KeyText.randomBytes))
    return { id, text: Redacted.make(text), digest: digest(text) }
  })
})
