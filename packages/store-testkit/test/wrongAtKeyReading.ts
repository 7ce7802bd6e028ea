import type { ApiKey } from "@petstore/access/ApiKey"
import type { ApiKeyStore, KeyChanges } from "@petstore/access/ApiKeyStore"
import { reading } from "@petstore/store-testkit/KeyLaws"
import type { Law } from "@petstore/store-testkit/Law"
import { Effect } from "effect"
import { changesOf, keyOf, type Ring } from "./RightKeyStore.ts"
import { type WrongKeyStore, wrong } from "./WrongKeyStore.ts"

/** The right store, but for what it makes of the changes that it reads. */
const wrongChanges = (
  law: Law<ApiKeyStore>,
  how: string,
  mangle: (changes: KeyChanges, since: string | undefined, ring: Ring) => KeyChanges
): WrongKeyStore =>
  wrong(law, how, (_, ring) => ({
    changes: (since) => Effect.sync(() => mangle(changesOf(ring, since), since, ring))
  }))

export const wrongAtKeyReading: ReadonlyArray<WrongKeyStore> = [
  wrongChanges(reading.all, "leaves out keys that have ended", ({ keys, ...changes }) => ({
    ...changes,
    keys: keys.filter(({ revoked }) => revoked === undefined)
  })),
  wrongChanges(reading.all, "reads nothing without a version", (changes, since) =>
    since === undefined ? { ...changes, keys: [] } : changes
  ),
  wrongChanges(reading.all, "does not say that these are all", (changes) => ({
    ...changes,
    isAll: false
  })),
  wrongChanges(reading.all, "gives a version that it does not know", (changes) => ({
    ...changes,
    version: `${changes.version}0`
  })),
  wrongChanges(reading.nothing, "reads all keys every time", (changes, _, { keys }) => ({
    ...changes,
    keys
  })),
  wrongChanges(reading.nothing, "says that all keys are gone", (changes) => ({
    ...changes,
    isAll: true
  })),
  wrong(reading.nothing, "gives another version every time", (_, ring) => {
    let reads = 0
    return {
      changes: (since) =>
        Effect.sync(() => {
          const changes = changesOf(ring, since?.replace(/ .*/, ""))
          return { ...changes, version: `${changes.version} ${++reads}` }
        })
    }
  }),
  wrong(reading.nothing, "takes a refused change for one", (right, ring) => ({
    add: (key) => Effect.tap(right.add(key), () => ring.states?.push(ring.keys))
  })),
  wrong(reading.nothing, "takes a later revocation for a change", (right, ring) => ({
    revoke: (id, at) =>
      Effect.tap(right.revoke(id, at), (isDone) => {
        if (isDone) ring.states?.push(ring.keys)
      })
  })),
  wrong(reading.uses, "takes a use for a change", (right, ring) => ({
    noteUses: (uses, now) =>
      Effect.tap(right.noteUses(uses, now), () => ring.states?.push(ring.keys))
  })),
  wrong(reading.uses, "reads the keys that were used", (right, ring) => {
    const used = new Set<string>()
    return {
      noteUses: (uses, now) =>
        Effect.tap(right.noteUses(uses, now), () => {
          for (const { id } of uses) used.add(id)
        }),
      changes: (since) =>
        Effect.sync(() => {
          const { keys, ...changes } = changesOf(ring, since)
          const more = ring.keys.filter(({ id }) => used.has(id) && !changes.isAll)
          return { ...changes, keys: [...keys, ...more] }
        })
    }
  }),
  wrongChanges(reading.changed, "reads all keys when one has changed", (changes, _, { keys }) =>
    changes.keys.length === 0 ? changes : { ...changes, keys }
  ),
  wrongChanges(reading.changed, "reads one key at most", (changes) => ({
    ...changes,
    keys: changes.isAll ? changes.keys : changes.keys.slice(0, 1)
  })),
  wrongChanges(reading.changed, "keeps its version", (changes) => ({ ...changes, version: "0" })),
  wrongChanges(reading.changed, "does not see revocations", (changes) => ({
    ...changes,
    keys: changes.isAll ? changes.keys : changes.keys.filter(({ revoked }) => !revoked)
  })),
  wrongChanges(reading.changed, "does not see keys that retire", (changes) => ({
    ...changes,
    keys: changes.isAll ? changes.keys : changes.keys.filter(({ retires }) => !retires)
  })),
  wrong(reading.changed, "reads the last change only", (_, ring) => ({
    changes: (since) =>
      Effect.sync(() => {
        const { version } = changesOf(ring, since)
        return changesOf(ring, since && String(Math.max(Number(since), Number(version) - 1)))
      })
  })),
  wrongChanges(reading.unknown, "treats every version as its own", (changes, since, ring) =>
    since !== undefined && changes.isAll ? changesOf(ring, changes.version) : changes
  ),
  wrongChanges(reading.unknown, "adopts the version that it is given", (changes, since) => ({
    ...changes,
    version: since ?? changes.version
  })),
  wrong(reading.values, "changes the keys that it gave", (right, ring) => {
    let given: ReadonlyArray<ApiKey> = []
    return {
      list: Effect.sync(() => {
        given = ring.keys.map((key) => ({ ...key }))
        return given
      }),
      noteUses: (uses, now) =>
        Effect.tap(right.noteUses(uses, now), () => {
          for (const key of given) Object.assign(key, keyOf(ring, key.id))
        })
    }
  }),
  wrong(reading.values, "changes the array that it gave", (right, ring) => {
    const mine: Array<ApiKey> = []
    return {
      list: Effect.sync(() => {
        mine.splice(0, mine.length, ...ring.keys)
        return mine
      }),
      add: (key) => Effect.tap(right.add(key), () => mine.push(key))
    }
  }),
  wrong(reading.values, "changes the changes that it gave", (right, ring) => {
    const mine: Array<ApiKey> = []
    return {
      changes: (since) =>
        Effect.sync(() => {
          const { keys, ...changes } = changesOf(ring, since)
          mine.splice(0, mine.length, ...keys)
          return { ...changes, keys: mine }
        }),
      add: (key) => Effect.tap(right.add(key), () => mine.push(key))
    }
  })
]
