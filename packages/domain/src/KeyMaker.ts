/** What making a key takes from outside: chance that nobody can guess, and a digest. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { KeyDigest, KeyId } from "./ApiKey.ts"

/** A key's parts when it is new: only now is its text known. */
export interface NewKey {
  readonly id: KeyId
  readonly text: Redacted.Redacted
  readonly digest: KeyDigest
}

/** Makes the texts of keys. */
export class KeyMaker extends Context.Tag("@petstore/domain/KeyMaker")<
  KeyMaker,
  {
    /** A key that was never made before, written as `KeyText` says. */
    readonly make: Effect.Effect<NewKey>
  }
>() {}
