import type { ApiKey } from "@petstore/access/ApiKey"
import type { KeyChanges } from "@petstore/access/ApiKeyStore"
import { Effect } from "effect"
import { changesOf, keyOf, type Ring } from "./RightKeyStore.ts"
import { type WrongKeyStore, wrong } from "./WrongKeyStore.ts"

const all = "without a version all keys are read, also those that have ended"
const nothing = "while nothing changes no key is read, and the version stays"
const uses = "the use of a key is not a change"
const changed = "exactly the keys that have changed since a version are read"
const unknown = "a version that the store never gave tells nothing: all keys are read"
const values = "keys once read do not change"

/** The right store, but for what it makes of the changes that it reads. */
const wrongChanges = (
  law: string,
  how: string,
  mangle: (changes: KeyChanges, since: number | undefined, ring: Ring) => KeyChanges
): WrongKeyStore =>
  wrong(law, how, (_, ring) => ({
    changes: (since) => Effect.sync(() => mangle(changesOf(ring, since), since, ring))
  }))

export const wrongAtKeyReading: ReadonlyArray<WrongKeyStore> = [
  wrongChanges(all, "leaves out keys that have ended", ({ keys, ...changes }) => ({
    ...changes,
    keys: keys.filter(({ revoked }) => revoked === undefined)
  })),
  wrongChanges(all, "reads nothing without a version", (changes, since) =>
    since === undefined ? { ...changes, keys: [] } : changes
  ),
  wrongChanges(all, "does not say that these are all", (changes) => ({
    ...changes,
    isAll: false
  })),
  wrongChanges(all, "gives a version that it does not know", (changes) => ({
    ...changes,
    version: changes.version + 1
  })),
  wrongChanges(nothing, "reads all keys every time", (changes, _, { keys }) => ({
    ...changes,
    keys
  })),
  wrongChanges(nothing, "says that all keys are gone", (changes) => ({ ...changes, isAll: true })),
  wrong(nothing, "gives another version every time", (_, ring) => {
    let reads = 0
    return {
      changes: (since) =>
        Effect.sync(() => {
          const changes = changesOf(ring, since === undefined ? undefined : Math.floor(since))
          return { ...changes, version: changes.version + ++reads / 1000 }
        })
    }
  }),
  wrong(nothing, "takes a refused change for one", (right, ring) => ({
    add: (key) => Effect.tap(right.add(key), () => ring.states?.push(ring.keys))
  })),
  wrong(nothing, "takes a later revocation for a change", (right, ring) => ({
    revoke: (id, at) =>
      Effect.tap(right.revoke(id, at), (isDone) => {
        if (isDone) ring.states?.push(ring.keys)
      })
  })),
  wrong(uses, "takes a use for a change", (right, ring) => ({
    noteUses: (uses, now) =>
      Effect.tap(right.noteUses(uses, now), () => ring.states?.push(ring.keys))
  })),
  wrong(uses, "reads the keys that were used", (right, ring) => {
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
  wrongChanges(changed, "reads all keys when one has changed", (changes, _, { keys }) =>
    changes.keys.length === 0 ? changes : { ...changes, keys }
  ),
  wrongChanges(changed, "reads one key at most", (changes) => ({
    ...changes,
    keys: changes.isAll ? changes.keys : changes.keys.slice(0, 1)
  })),
  wrongChanges(changed, "keeps its version", (changes) => ({ ...changes, version: 0 })),
  wrongChanges(changed, "does not see revocations", (changes) => ({
    ...changes,
    keys: changes.isAll ? changes.keys : changes.keys.filter(({ revoked }) => !revoked)
  })),
  wrongChanges(changed, "does not see keys that retire", (changes) => ({
    ...changes,
    keys: changes.isAll ? changes.keys : changes.keys.filter(({ retires }) => !retires)
  })),
  wrong(changed, "reads the last change only", (_, ring) => ({
    changes: (since) =>
      Effect.sync(() => {
        const { version } = changesOf(ring, since)
        return changesOf(ring, since === undefined ? since : Math.max(since, version - 1))
      })
  })),
  wrongChanges(unknown, "takes every version for one of its own", (changes, since, ring) =>
    since !== undefined && changes.isAll ? changesOf(ring, changes.version) : changes
  ),
  wrongChanges(unknown, "takes on the version that it is told", (changes, since) => ({
    ...changes,
    version: Math.max(changes.version, since ?? 0)
  })),
  wrong(values, "changes the keys that it gave", (right, ring) => {
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
  wrong(values, "changes the array that it gave", (right, ring) => {
    const mine: Array<ApiKey> = []
    return {
      list: Effect.sync(() => {
        mine.splice(0, mine.length, ...ring.keys)
        return mine
      }),
      add: (key) => Effect.tap(right.add(key), () => mine.push(key))
    }
  }),
  wrong(values, "changes the changes that it gave", (right, ring) => {
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
