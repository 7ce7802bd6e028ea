/** The driven port for what a new key needs from the platform: random bytes and a digest. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { KeyDigest, KeyId } from "./ApiKey.ts"

/** Makes the texts of keys. */
export class KeyMaker extends Context.Tag("@petstore/access/KeyMaker")<
  KeyMaker,
  {
    /** A key that was never made before, written as `KeyText` says. Its text is known only now. */
    readonly make: Effect.Effect<{
      readonly id: KeyId
      readonly text: Redacted.Redacted
      readonly digest: KeyDigest
    }>
  }
>() {}
