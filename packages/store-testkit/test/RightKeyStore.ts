/** A tiny store of keys that obeys every law, for wrong ones to be made of. */
import { type ApiKey, type KeyId, merged } from "@petstore/access/ApiKey"
import { ApiKeyStore, type KeyChanges } from "@petstore/access/ApiKeyStore"
import type { Place } from "@petstore/store-testkit/Law"
import { Effect, Layer } from "effect"

export type Store = ApiKeyStore["Type"]

/** Where a store keeps its keys, and finds them when it is opened again. */
export interface Ring {
  keys: ReadonlyArray<ApiKey>
  /** The keys of each version. */
  states?: Array<ReadonlyArray<ApiKey>>
}

export const keyOf = (ring: Ring, id: KeyId): ApiKey | undefined =>
  ring.keys.find((key) => key.id === id)

/** Puts a key in its place, instead of the one of its id if there is one. */
export const put = (ring: Ring, key: ApiKey): void => {
  const others = ring.keys.filter((other) => other.id !== key.id)
  ring.keys = [...others, key].sort((a, b) => a.created - b.created || (a.id < b.id ? -1 : 1))
}

/** All but the use of a key. */
const textOf = ({ lastUsed: _, ...key }: ApiKey) => JSON.stringify(key)

/** The keys that have changed since they were these. */
const changedSince = (ring: Ring, before: ReadonlyArray<ApiKey>) => {
  const known = new Set(before.map(textOf))
  return ring.keys.filter((key) => !known.has(textOf(key)))
}

/** What a right store reads since a version. */
export const changesOf = (ring: Ring, since: string | undefined): KeyChanges => {
  ring.states ??= [[]]
  if (changedSince(ring, ring.states.at(-1) ?? []).length > 0) ring.states.push(ring.keys)
  const version = String(ring.states.length - 1)
  const before = since === undefined ? undefined : ring.states[Number(since)]
  return before === undefined
    ? { version, keys: ring.keys, isAll: true }
    : { version, keys: changedSince(ring, before), isAll: false }
}

export const make = (ring: Ring): Store => {
  const add = (key: ApiKey) => {
    if (keyOf(ring, key.id) !== undefined) return false
    put(ring, key)
    return true
  }
  return {
    list: Effect.sync(() => ring.keys),
    changes: (since) => Effect.sync(() => changesOf(ring, since)),
    add: (key) => Effect.sync(() => add(key)),
    addFirst: (key) => Effect.sync(() => ring.keys.length === 0 && add(key)),
    merge: (key) =>
      Effect.sync(() => {
        const known = keyOf(ring, key.id)
        if (known !== undefined && known.digest !== key.digest) return false
        put(ring, known === undefined ? key : merged(known, key))
        return true
      }),
    revoke: (id, at) =>
      Effect.sync(() => {
        const key = keyOf(ring, id)
        if (key === undefined) return false
        if (key.revoked === undefined || at < key.revoked) put(ring, { ...key, revoked: at })
        return true
      }),
    replace: ({ by, id, until }) =>
      Effect.sync(() => {
        const key = keyOf(ring, id)
        if (key === undefined || key.revoked !== undefined) return false
        if (key.retires !== undefined) return false
        if (key.expires !== undefined && key.expires <= by.created) return false
        if (!add(by)) return false
        put(ring, { ...key, retires: until })
        return true
      }),
    noteUses: (uses, now) =>
      Effect.sync(() => {
        for (const { at, id } of uses) {
          const key = keyOf(ring, id)
          const { lastUsed = Number.NEGATIVE_INFINITY } = key ?? {}
          if (key !== undefined && (lastUsed < at || lastUsed > now)) {
            put(ring, { ...key, lastUsed: at })
          }
        }
      })
  }
}

/** A place with a ring of its own, on which a store of this make can be opened again. */
export const placeOf = (open: (ring: Ring) => Store): Place<ApiKeyStore> =>
  Effect.sync(() => {
    const ring: Ring = { keys: [] }
    return Layer.sync(ApiKeyStore, () => open(ring))
  })

export const place: Place<ApiKeyStore> = placeOf(make)
