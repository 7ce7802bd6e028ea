import type { Replacement } from "@petstore/access/ApiKeyStore"
import { durability, replacing } from "@petstore/store-testkit/KeyLaws"
import { Effect, Struct } from "effect"
import { keyOf, make, placeOf, put, type Ring, type Store } from "./RightKeyStore.ts"
import { type WrongKeyStore, wrong } from "./WrongKeyStore.ts"

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

export const wrongAtKeyReplacing: ReadonlyArray<WrongKeyStore> = [
  wrong(replacing.replaced, "ends a key at once", (right) => ({
    replace: ({ by, id }) => right.replace({ by, id, until: by.created })
  })),
  wrong(replacing.replaced, "adds a key and leaves the other as it is", (right, ring) => ({
    replace: ({ by, id }) =>
      Effect.suspend(() =>
        keyOf(ring, id)?.retires === undefined ? right.add(by) : Effect.succeed(false)
      )
  })),
  wrong(replacing.replaced, "retires a key and adds none", (_, ring) => ({
    replace: (replacement) =>
      Effect.sync(() => {
        retire(ring, replacement)
        return true
      })
  })),
  wrong(replacing.replaced, "revokes a key that is to retire", (right, ring) => ({
    replace: ({ by, id, until }) =>
      Effect.suspend(() => {
        const isGood = keyOf(ring, id)?.revoked === undefined
        return isGood
          ? Effect.zipRight(right.revoke(id, until), right.add(by))
          : Effect.succeed(false)
      })
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
  wrong(replacing.ended, "does not look at the key that it replaces", (_, ring) => ({
    replace: regardless(ring)
  })),
  wrong(replacing.ended, "lets a key that has not retired yet retire again", (right, ring) => ({
    replace: (replacement) =>
      Effect.suspend(() => {
        const retires = keyOf(ring, replacement.id)?.retires ?? 0
        return retires > replacement.by.created
          ? regardless(ring)(replacement)
          : right.replace(replacement)
      })
  })),
  wrong(replacing.ended, "does not look at the expiry", (right, ring) => ({
    replace: (replacement) =>
      Effect.suspend(() => {
        const key = keyOf(ring, replacement.id)
        return key?.expires !== undefined && key.revoked === undefined
          ? regardless(ring)(replacement)
          : right.replace(replacement)
      })
  })),
  wrong(replacing.ended, "lets a key be good at the moment it expires", (right, ring) => ({
    replace: (replacement) =>
      Effect.suspend(() =>
        keyOf(ring, replacement.id)?.expires === replacement.by.created
          ? regardless(ring)(replacement)
          : right.replace(replacement)
      )
  })),
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
