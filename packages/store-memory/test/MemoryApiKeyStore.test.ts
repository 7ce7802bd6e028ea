import { describe, expect, it } from "@effect/vitest"
import { Instant, KeyDigest, KeyId, KeyName } from "@petstore/access/ApiKey"
import { ApiKeyStore } from "@petstore/access/ApiKeyStore"
import * as MemoryApiKeyStore from "@petstore/store-memory/MemoryApiKeyStore"
import { keySuite } from "@petstore/store-testkit/vitest"
import { Effect } from "effect"

keySuite("MemoryApiKeyStore", MemoryApiKeyStore.layer)

describe("MemoryApiKeyStore", () => {
  it.effect("is another store each time its layer is built", () =>
    Effect.gen(function* () {
      const add = Effect.flatMap(ApiKeyStore, (store) =>
        store.addFirst({
          id: KeyId.make("0123456789"),
          name: KeyName.make("first"),
          digest: KeyDigest.make("a".repeat(64)),
          scopes: ["pets:read"],
          created: Instant.make(0)
        })
      )
      expect(yield* Effect.provide(add, MemoryApiKeyStore.layer)).toBe(true)
      expect(yield* Effect.provide(add, MemoryApiKeyStore.layer)).toBe(true)
    })
  )
})
