/** A key that is wrong: whichever part of it is, the same is done about it. */
// Not `it.scoped`: `layer` in another file replaces it for all that follow.
import { expect, scoped } from "@effect/vitest"
import { KeyName } from "@petstore/access/ApiKey"
import { ApiKeyStore } from "@petstore/access/ApiKeyStore"
import * as ApiKeys from "@petstore/access/ApiKeys"
import * as KeyText from "@petstore/access/KeyText"
import * as NodeKeyMaker from "@petstore/access/NodeKeyMaker"
import * as PetStoreServer from "@petstore/http-pets/PetStoreServer"
import { HttpListener } from "@petstore/http-transport/HttpListener"
import * as MemoryApiKeyStore from "@petstore/store-memory/MemoryApiKeyStore"
import * as MemoryPetStore from "@petstore/store-memory/MemoryPetStore"
import { Context, Effect, Layer, Redacted, TestClock } from "effect"
import * as Harness from "./support/Harness.ts"

/** The real keys, and note of every step that a request makes them take. */
const watched = (steps: Array<string>, hopes: Array<boolean | undefined>) => {
  const store = Layer.map(MemoryApiKeyStore.layer, (context) => {
    const inner = Context.get(context, ApiKeyStore)
    const noted = <A, E>(effect: Effect.Effect<A, E>) =>
      Effect.suspend(() => {
        steps.push("the store")
        return effect
      })
    return Context.make(ApiKeyStore, {
      ...inner,
      list: noted(inner.list),
      changes: (since) => noted(inner.changes(since))
    })
  })
  const keys = ApiKeys.layer().pipe(Layer.provide([store, NodeKeyMaker.layer]))
  return Layer.map(keys, (context) => {
    const inner = Context.get(context, ApiKeys.ApiKeys)
    return Context.make(ApiKeys.ApiKeys, {
      ...inner,
      authenticate: (digest, mayBeNew) => {
        steps.push(digest.replaceAll(/[0-9a-f]/g, "x"))
        hopes.push(mayBeNew?.())
        return inner.authenticate(digest)
      }
    })
  })
}

const other = (character = "") => (character === "0" ? "1" : "0")
const change = (text: string, at: number) =>
  text.slice(0, at) + other(text[at]) + text.slice(at + 1)

scoped("takes the same steps, and never to the store, whichever part of it is wrong", () =>
  Effect.gen(function* () {
    const steps: Array<string> = []
    const hopes: Array<boolean | undefined> = []
    const context = yield* Layer.build(
      PetStoreServer.layer(PetStoreServer.defaults).pipe(
        Layer.provide(Layer.provide(Harness.useCases, MemoryPetStore.layer)),
        Layer.provideMerge(watched(steps, hopes)),
        Layer.provideMerge(Harness.listener())
      )
    )
    const { text } = yield* Context.get(context, ApiKeys.ApiKeys).issue({
      name: KeyName.make("a test"),
      scopes: ["pets:read"]
    })
    // The issued key is known.
    yield* TestClock.adjust("1 second")
    const key = Redacted.value(text)
    const ask = (bearer: string) =>
      Effect.promise(async () => {
        steps.length = 0
        const headers = { Authorization: `Bearer ${bearer}`, Connection: "close" }
        const { status } = await fetch(`${Context.get(context, HttpListener).url}/v1/pets`, {
          headers
        })
        return { status, steps: [...steps] }
      })
    const oneLook = ["x".repeat(64)]
    expect(yield* ask(key)).toEqual({ status: 200, steps: oneLook })
    // The id, the secret, the checksum; the first two with a checksum that fits as well.
    const wrong = [6, 20, key.length - 1].map((at) => change(key, at))
    const [sameId, sameSecret] = [20, 6].map((at) => {
      const bytes = Uint8Array.from(
        change(key, at)
          .replaceAll(/^pet|_/g, "")
          .slice(0, 42),
        (digit) => Number.parseInt(digit, 32)
      )
      return KeyText.fromBytes(bytes).text
    })
    expect(sameId?.slice(0, 14)).toBe(key.slice(0, 14))
    expect(sameSecret?.slice(14, 47)).toBe(key.slice(14, 47))
    for (const bearer of [...wrong, sameId ?? "", sameSecret ?? ""]) {
      expect(yield* ask(bearer)).toEqual({ status: 401, steps: oneLook })
    }
    // Only a checksum that fits makes a key worth another look at the store.
    expect(hopes).toEqual([true, false, false, false, true, true])
  })
)
