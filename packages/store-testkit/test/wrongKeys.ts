/** Stores of keys that are wrong in one way. */
import { type ApiKey, Instant, KeyName, latest } from "@petstore/access/ApiKey"
import type { ApiKeyStore, KeyChanges, Replacement, Use } from "@petstore/access/ApiKeyStore"
import {
  changes,
  durability,
  keeping,
  merging,
  reading,
  replacing
} from "@petstore/store-testkit/KeyLaws"
import type { Law } from "@petstore/store-testkit/Law"
import { Effect, Struct } from "effect"
import { type Wrong, wrongOf } from "./LawTests.ts"
import { changesOf, keyOf, make, placeOf, put, type Ring, type Store } from "./RightKeyStore.ts"

type WrongKeyStore = Wrong<ApiKeyStore>

/** The right store with some operations replaced. */
const wrong = wrongOf(placeOf, make)

/** The right store, but for what it makes of a new key. */
const wrongKey = (
  law: Law<ApiKeyStore>,
  how: string,
  mangle: (key: ApiKey) => ApiKey
): WrongKeyStore =>
  wrong(law, how, (right) => ({
    add: (key) => right.add(mangle(key)),
    addFirst: (key) => right.addFirst(mangle(key))
  }))

/** The right store, but for the names of new keys. */
const renaming = (how: string, rename: (name: string) => string) =>
  wrongKey(keeping.names, how, (key) => ({ ...key, name: KeyName.make(rename(key.name)) }))

/** The right store, but for what it makes of the changes that it reads. */
const wrongChanges = (
  law: Law<ApiKeyStore>,
  how: string,
  mangle: (changes: KeyChanges, since: string | undefined, ring: Ring) => KeyChanges
): WrongKeyStore =>
  wrong(law, how, (_, ring) => ({
    changes: (since) => Effect.sync(() => mangle(changesOf(ring, since), since, ring))
  }))

/** Retires a key, whatever it was before. */
const retire = (ring: Ring, { id, until }: Replacement) => {
  const key = keyOf(ring, id)
  if (key !== undefined) put(ring, { ...key, retires: until })
}

/** Retires and adds without a look at what the key was. */
const regardless = (ring: Ring) => (replacement: Replacement) =>
  Effect.suspend(() => {
    retire(ring, replacement)
    return make(ring).add(replacement.by)
  })

/** The right store, but for some keys, which it replaces whatever they were. */
const regardlessIf = (
  how: string,
  isSo: (key: ApiKey | undefined, replacement: Replacement) => boolean
) =>
  wrong(replacing.ended, how, (right, ring) => ({
    replace: (replacement) =>
      Effect.suspend(() =>
        isSo(keyOf(ring, replacement.id), replacement)
          ? regardless(ring)(replacement)
          : right.replace(replacement)
      )
  }))

/** Adds keys to both stores, and answers as the first. */
const adding = (first: Store, second: Store): Pick<Store, "add" | "addFirst"> => ({
  add: (key) => Effect.zipLeft(first.add(key), second.add(key)),
  addFirst: (key) => Effect.zipLeft(first.addFirst(key), second.addFirst(key))
})

/** A store that reads its keys once, and the same with all changes saved. */
const saving = (ring: Ring) => {
  const memory = { keys: ring.keys }
  const [right, saved] = [make(memory), make(ring)]
  const store: Store = {
    ...right,
    ...adding(right, saved),
    revoke: (id, at) => Effect.zipLeft(right.revoke(id, at), saved.revoke(id, at)),
    merge: (key) => Effect.zipLeft(right.merge(key), saved.merge(key)),
    replace: (one) => Effect.zipLeft(right.replace(one), saved.replace(one)),
    noteUses: (all, now) => Effect.zipLeft(right.noteUses(all, now), saved.noteUses(all, now))
  }
  return { right, store }
}

export const wrongKeys: ReadonlyArray<WrongKeyStore> = [
  wrongKey(keeping.added, "sorts the scopes", (key) => ({
    ...key,
    scopes: key.scopes.length > 1 ? ["pets:read", "pets:write"] : key.scopes
  })),
  wrongKey(keeping.added, "keeps an empty key", (key) =>
    Object.defineProperty({ ...key }, "expires", { value: key.expires, enumerable: true })
  ),
  ...(["lastUsed", "revoked", "retires"] as const).map((field) =>
    wrongKey(keeping.added, `forgets ${field}`, (key) => Struct.omit(key, field))
  ),
  renaming("normalises names", (name) => name.normalize("NFC")),
  renaming("cuts names short", (name) => name.slice(0, 64)),
  wrongKey(keeping.moments, "keeps whole minutes", (key) => ({
    ...key,
    created: Instant.make(key.created - (key.created % 60_000))
  })),
  wrongKey(keeping.moments, "treats zero as never", ({ expires, ...key }) => ({
    ...key,
    ...(expires ? { expires } : {})
  })),
  wrong(keeping.order, "sorts moments as text", (right, ring) => ({
    add: (key) =>
      Effect.tap(right.add(key), () => {
        const text = (key: { created: number; id: string }) => `${key.created} ${key.id}`
        ring.keys = ring.keys.toSorted((a, b) => (text(a) < text(b) ? -1 : 1))
      })
  })),
  wrong(keeping.order, "does not look at ids", (right, ring) => ({
    add: (key) =>
      Effect.tap(right.add(key), () => {
        const others = ring.keys.filter(({ id }) => id !== key.id)
        ring.keys = [...others, key].sort((a, b) => a.created - b.created)
      })
  })),
  wrong(keeping.taken, "refuses a key, but keeps it", (right, ring) => ({
    add: (key) => Effect.tap(right.add(key), (isAdded) => !isAdded && put(ring, key))
  })),
  wrong(keeping.first, "looks for keys that are good", (right, ring) => ({
    addFirst: (key) =>
      Effect.suspend(() =>
        ring.keys.some((key) => key.revoked === undefined) ? Effect.succeed(false) : right.add(key)
      )
  })),
  wrong(keeping.first, "calls every key the first", (right) => ({ addFirst: right.add })),
  wrong(keeping.firsts, "looks for keys, waits, and adds one", (right, ring) => ({
    addFirst: (key) =>
      Effect.gen(function* () {
        if (ring.keys.length > 0) return false
        yield* Effect.yieldNow()
        return yield* right.add(key)
      })
  })),
  wrong(keeping.together, "looks for the id, waits, and takes it", (_, ring) => ({
    add: (key) =>
      Effect.gen(function* () {
        if (keyOf(ring, key.id) !== undefined) return false
        yield* Effect.yieldNow()
        put(ring, key)
        return true
      })
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
  wrongChanges(reading.changed, "keeps its version", (changes) => ({ ...changes, version: "0" })),
  wrongChanges(reading.changed, "does not see revocations", (changes) => ({
    ...changes,
    keys: changes.isAll ? changes.keys : changes.keys.filter(({ revoked }) => !revoked)
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
  }),
  wrong(changes.revoked, "revokes as of now, whatever time is given", (right) => ({
    revoke: (id) => right.revoke(id, Instant.make(1_800_000_000_000))
  })),
  wrong(changes.revoked, "revokes every key of a name", (right, ring) => ({
    revoke: (id, at) =>
      Effect.zipLeft(
        right.revoke(id, at),
        Effect.forEach(ring.keys, (key) => right.revoke(key.id, at))
      )
  })),
  wrong(changes.earlier, "lets the last revocation hold", (_, ring) => ({
    revoke: (id, at) =>
      Effect.sync(() => {
        const key = keyOf(ring, id)
        if (key !== undefined) put(ring, { ...key, revoked: at })
        return key !== undefined
      })
  })),
  wrong(changes.earlier, "lets the first revocation hold", (right, ring) => ({
    revoke: (id, at) =>
      Effect.suspend(() =>
        keyOf(ring, id)?.revoked === undefined ? right.revoke(id, at) : Effect.succeed(true)
      )
  })),
  wrong(changes.unknown, "knows every key", (right) => ({
    revoke: (id, at) => Effect.as(right.revoke(id, at), true)
  })),
  wrong(changes.unknown, "revokes the last key instead", (right, ring) => ({
    revoke: (id, at) =>
      Effect.gen(function* () {
        if (yield* right.revoke(id, at)) return true
        const last = ring.keys.at(-1)
        if (last !== undefined) yield* right.revoke(last.id, at)
        return false
      })
  })),
  wrong(changes.together, "writes back what it read before", (right, ring) => ({
    revoke: (id, at) =>
      Effect.gen(function* () {
        const key = keyOf(ring, id)
        yield* Effect.yieldNow()
        if (key === undefined) return false
        put(ring, { ...key, revoked: at })
        return true
      }),
    noteUses: (uses, now) => Effect.zipRight(Effect.yieldNow(), right.noteUses(uses, now))
  })),
  ...(
    [
      ["keeps the use that is noted last", () => 0],
      ["keeps the latest use of those that are noted last", (a, b) => a.at - b.at]
    ] satisfies ReadonlyArray<[string, (a: Use, b: Use) => number]>
  ).map(([how, order]) =>
    wrong(changes.uses, how, (_, ring) => ({
      noteUses: (uses) =>
        Effect.sync(() => {
          for (const { at, id } of uses.toSorted(order)) {
            const key = keyOf(ring, id)
            if (key !== undefined) put(ring, { ...key, lastUsed: at })
          }
        })
    }))
  ),
  wrong(changes.uses, "notes the last of several uses of a key", (right) => ({
    noteUses: (uses, now) =>
      right.noteUses([...new Map(uses.map((use) => [use.id, use])).values()], now)
  })),
  wrong(changes.uses, "revives a key when it is used", (right, ring) => ({
    noteUses: (uses, now) =>
      Effect.tap(right.noteUses(uses, now), () => {
        for (const { id } of uses) {
          const { revoked: _, ...key } = keyOf(ring, id) ?? {}
          if ("id" in key) put(ring, key)
        }
      })
  })),
  wrong(changes.unknownUses, "stops at a key that is not there", (right, ring) => ({
    noteUses: (uses, now) =>
      Effect.suspend(() => {
        const end = uses.findIndex(({ id }) => keyOf(ring, id) === undefined)
        return right.noteUses(end < 0 ? uses : uses.slice(0, end), now)
      })
  })),
  wrong(changes.future, "keeps the latest use for ever", (right) => ({
    noteUses: (uses) => right.noteUses(uses, Instant.make(latest))
  })),
  wrong(changes.future, "treats the current time as the future", (right) => ({
    noteUses: (uses, now) => right.noteUses(uses, Instant.make(now - 1))
  })),
  wrong(changes.future, "replaces the first of the keys only", (right) => ({
    noteUses: (uses, now) =>
      Effect.forEach(uses, (use, nth) =>
        right.noteUses([use], nth === 0 ? now : Instant.make(latest))
      )
  })),
  wrong(merging.added, "revives a key that it takes over", (right) => ({
    merge: ({ revoked: _, ...key }) => right.merge(key)
  })),
  wrong(merging.added, "forgets when it was used", (right) => ({
    merge: ({ lastUsed: _, ...key }) => right.merge(key)
  })),
  wrong(merging.joined, "lets what is merged last hold", (right, ring) => ({
    merge: (key) => Effect.tap(right.merge(key), (isDone) => isDone && put(ring, key))
  })),
  wrong(merging.taken, "merges keys of one id, whatever their digest", (right, ring) => ({
    merge: (key) => right.merge({ ...key, digest: keyOf(ring, key.id)?.digest ?? key.digest })
  })),
  wrong(merging.changed, "does not count a merge as a change", (right) => {
    let hidden = false
    return {
      merge: (key) => {
        hidden = true
        return right.merge(key)
      },
      changes: (since) =>
        Effect.map(right.changes(since), (found) =>
          hidden && since !== undefined ? { ...found, keys: [] } : found
        )
    }
  }),
  wrong(replacing.replaced, "ends a key at once", (right) => ({
    replace: ({ by, id }) => right.replace({ by, id, until: by.created })
  })),
  wrong(replacing.replaced, "adds a key and leaves the other as it is", (right, ring) => ({
    replace: ({ by, id }) =>
      Effect.suspend(() =>
        keyOf(ring, id)?.retires === undefined ? right.add(by) : Effect.succeed(false)
      )
  })),
  wrong(replacing.replaced, "takes a key for expired that is about to", (right, ring) => ({
    replace: (replacement) =>
      Effect.suspend(() => {
        const expires = keyOf(ring, replacement.id)?.expires ?? Number.POSITIVE_INFINITY
        return expires - 1 <= replacement.by.created
          ? Effect.succeed(false)
          : right.replace(replacement)
      })
  })),
  regardlessIf("does not look at the key that it replaces", () => true),
  regardlessIf(
    "lets a key that has not retired yet retire again",
    (key, { by }) => (key?.retires ?? 0) > by.created
  ),
  regardlessIf(
    "does not look at the expiry",
    (key) => key?.expires !== undefined && key.revoked === undefined
  ),
  regardlessIf(
    "lets a key be good at the moment it expires",
    (key, { by }) => key?.expires === by.created
  ),
  wrong(replacing.ended, "refuses, but adds the other key", (right) => ({
    replace: (replacement) =>
      Effect.tap(right.replace(replacement), (isDone) => !isDone && right.add(replacement.by))
  })),
  wrong(replacing.taken, "ends the key before it looks", (right, ring) => ({
    replace: (replacement) =>
      Effect.gen(function* () {
        if (yield* right.replace(replacement)) return true
        if (keyOf(ring, replacement.by.id)) retire(ring, replacement)
        return false
      })
  })),
  wrong(replacing.rivals, "looks, waits, and replaces", (_, ring) => ({
    replace: (replacement) =>
      Effect.gen(function* () {
        if (keyOf(ring, replacement.id)?.retires !== undefined) return false
        yield* Effect.yieldNow()
        return yield* regardless(ring)(replacement)
      })
  })),
  wrong(replacing.revoked, "holds on to the end of a replaced key", (right) => {
    const replaced = new Set<string>()
    return {
      replace: (replacement) =>
        Effect.tap(right.replace(replacement), () => replaced.add(replacement.id)),
      revoke: (id, at) =>
        Effect.suspend(() => (replaced.has(id) ? Effect.succeed(true) : right.revoke(id, at)))
    }
  }),
  wrong(replacing.revoked, "forgets that a key was replaced", (_, ring) => ({
    revoke: (id, at) =>
      Effect.sync(() => {
        const { retires: _, ...key } = keyOf(ring, id) ?? {}
        if ("id" in key) put(ring, { ...key, revoked: at })
        return "id" in key
      })
  })),
  { law: durability.reopened, how: "forgets everything", place: placeOf(() => make({ keys: [] })) },
  ...(["add", "addFirst", "revoke", "merge", "replace", "noteUses"] as const).map((name) => ({
    law: durability.reopened,
    how: `does not save what ${name} does`,
    place: placeOf((ring) => {
      const { right, store } = saving(ring)
      return { ...store, ...Struct.pick(right, name) }
    })
  })),
  {
    law: durability.shared,
    how: "reads its keys once",
    place: placeOf((ring) => saving(ring).store)
  },
  wrong(durability.shared, "reads its own changes only", (right) => {
    const own = make({ keys: [] })
    return {
      changes: own.changes,
      ...adding(right, own),
      revoke: (id, at) => Effect.zipLeft(right.revoke(id, at), own.revoke(id, at))
    }
  })
]
