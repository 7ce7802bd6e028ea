/** Keeps the keys in memory, for as long as the layer lives. */
import { type ApiKey, endOf, type KeyId } from "@petstore/domain/ApiKey"
import { ApiKeyStore } from "@petstore/domain/ApiKeyStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** A new, empty store. */
export const make: Effect.Effect<ApiKeyStore["Type"]> = Effect.sync(() => {
  let keys: ReadonlyArray<ApiKey> = []

  const find = (id: KeyId) => keys.find((key) => key.id === id)
  const add = (key: ApiKey) => {
    if (find(key.id) !== undefined) return false
    keys = [...keys, key].sort(byAge)
    return true
  }
  const change = (id: KeyId, to: (key: ApiKey) => ApiKey) => {
    keys = keys.map((key) => (key.id === id ? to(key) : key))
  }

  return ApiKeyStore.of({
    list: Effect.sync(() => keys),
    add: (key) => Effect.sync(() => add(key)),
    addFirst: (key) => Effect.sync(() => keys.length === 0 && add(key)),
    revoke: (id, at) =>
      Effect.sync(() => {
        const key = find(id)
        if (key !== undefined && at < (key.revoked ?? Number.POSITIVE_INFINITY)) {
          change(id, (key) => ({ ...key, revoked: at }))
        }
        return key !== undefined
      }),
    replace: ({ by, id, until }) =>
      Effect.sync(() => {
        const key = find(id)
        if (key === undefined || key.retires !== undefined || endOf(key) <= by.created) return false
        if (!add(by)) return false
        change(id, (key) => ({ ...key, retires: until }))
        return true
      }),
    noteUses: (uses) =>
      Effect.sync(() => {
        for (const { at, id } of uses) {
          const key = find(id)
          if (key !== undefined && at > (key.lastUsed ?? Number.NEGATIVE_INFINITY)) {
            change(id, (key) => ({ ...key, lastUsed: at }))
          }
        }
      })
  })
})

/** A store of its own for everyone who builds it. */
export const layer: Layer.Layer<ApiKeyStore> = Layer.effect(ApiKeyStore, make)

const byAge = (a: ApiKey, b: ApiKey): number => a.created - b.created || (a.id < b.id ? -1 : 1)
