/** Keys, and a store of keys that expects to be asked for nothing. */
import { it } from "@effect/vitest"
import { ApiKey, KeyDigest } from "@petstore/access/ApiKey"
import type { ApiKeyStore } from "@petstore/access/ApiKeyStore"
import { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import { Effect, Schema, type Scope, type TestServices } from "effect"
import type { YieldWrap } from "effect/Utils"

/** A test on a clock of its own, with a scope that is closed after it. */
export const scoped = (
  name: string,
  body: () => Generator<
    YieldWrap<Effect.Effect<unknown, unknown, Scope.Scope | TestServices.TestServices>>,
    void,
    never
  >
) => it.scoped(name, () => Effect.gen(body))

/** The digest of the key of a letter. */
export const digestOf = (letter: string) => KeyDigest.make(letter.repeat(64))

/** The key of a letter. */
export const keyOf = (letter: string, more: Partial<typeof ApiKey.Encoded> = {}): ApiKey =>
  Schema.decodeSync(ApiKey)({
    id: letter.repeat(10),
    name: letter,
    digest: digestOf(letter),
    scopes: ["pets:read"],
    created: 0,
    ...more
  })

/** The failure of a store that does not answer. */
export const down = Effect.fail(new StoreUnavailable({ reason: "down" }))

const unasked = () => Effect.dieMessage("not expected to be called")

/** A store that has only what a directory does not use. */
export const unused: Omit<ApiKeyStore["Type"], "changes" | "noteUses"> = {
  list: unasked(),
  add: unasked,
  addFirst: unasked,
  merge: unasked,
  revoke: unasked,
  replace: unasked
}
