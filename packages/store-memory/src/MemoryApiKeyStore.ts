/** A store of keys in memory, until the layer is released. */
import { type ApiKey, endOf, type KeyId, merged } from "@petstore/access/ApiKey"
import { ApiKeyStore } from "@petstore/access/ApiKeyStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** A new, empty store. */
export const make: Effect.Effect<ApiKeyStore["Type"]> = Effect.sync(() => {
  const keys = new Map<KeyId, ApiKey>()
  /** The version in which each key was changed last. */
  const changed = new Map<KeyId, number>()
  let version = 0

  const put = (key: ApiKey) => {
    keys.set(key.id, key)
    changed.set(key.id, ++version)
  }
  const add = (key: ApiKey) => {
    if (keys.has(key.id)) return false
    put(key)
    return true
  }

  return ApiKeyStore.of({
    list: Effect.sync(() => [...keys.values()].sort(byAge)),
    changes: (since) =>
      Effect.sync(() => {
        // Keys are never removed, so changes are known since every version that was returned.
        const known = Number(since ?? Number.NaN)
        const isAll = !(known <= version)
        const isNews = ({ id }: ApiKey) => isAll || (changed.get(id) ?? 0) > known
        return { version: String(version), keys: [...keys.values()].filter(isNews), isAll }
      }),
    add: (key) => Effect.sync(() => add(key)),
    addFirst: (key) => Effect.sync(() => keys.size === 0 && add(key)),
    merge: (key) =>
      Effect.sync(() => {
        const known = keys.get(key.id)
        if (known === undefined) return add(key)
        if (known.digest !== key.digest) return false
        put(merged(known, key))
        return true
      }),
    revoke: (id, at) =>
      Effect.sync(() => {
        const key = keys.get(id)
        if (key !== undefined && at < (key.revoked ?? Number.POSITIVE_INFINITY)) {
          put({ ...key, revoked: at })
        }
        return key !== undefined
      }),
    replace: ({ by, id, until }) =>
      Effect.sync(() => {
        const key = keys.get(id)
        if (key === undefined || key.retires !== undefined || endOf(key) <= by.created) return false
        if (!add(by)) return false
        put({ ...key, retires: until })
        return true
      }),
    noteUses: (uses, now) =>
      Effect.sync(() => {
        for (const { at, id } of uses) {
          const key = keys.get(id)
          const { lastUsed = Number.NEGATIVE_INFINITY } = key ?? {}
          if (key !== undefined && (at > lastUsed || lastUsed > now)) {
            keys.set(id, { ...key, lastUsed: at })
          }
        }
      })
  })
})

/** A new, empty store each time it is built. */
export const layer: Layer.Layer<ApiKeyStore> = Layer.effect(ApiKeyStore, make)

const byAge = (a: ApiKey, b: ApiKey): number => a.created - b.created || (a.id < b.id ? -1 : 1)
