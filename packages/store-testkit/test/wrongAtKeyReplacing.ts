import { ApiKeyStore, type Replacement } from "@petstore/access/ApiKeyStore"
import { Effect, Layer } from "effect"
import { keyOf, make, placeOf, put, type Ring } from "./RightKeyStore.ts"
import { type WrongKeyStore, wrong } from "./WrongKeyStore.ts"

const replaced = "a key that is replaced retires at the moment given, and the other is there"
const ended = "a key whose end is settled is not replaced, nor one that is not there"
const taken = "a key is not replaced by one whose id is taken"
const rivals = "of replacements of one key at once exactly one is done"
const revoked = "a key that was replaced can still be revoked"
const reopened = "a reopened store has every key as it was"
const shared = "a store of keys sees at once what another one does at its place"

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

export const wrongAtKeyReplacing: ReadonlyArray<WrongKeyStore> = [
  wrong(replaced, "ends a key at once", (right) => ({
    replace: ({ by, id }) => right.replace({ by, id, until: by.created })
  })),
  wrong(replaced, "adds a key and leaves the other as it is", (right, ring) => ({
    replace: ({ by, id }) =>
      Effect.suspend(() =>
        keyOf(ring, id)?.retires === undefined ? right.add(by) : Effect.succeed(false)
      )
  })),
  wrong(replaced, "retires a key and adds none", (_, ring) => ({
    replace: (replacement) =>
      Effect.sync(() => {
        retire(ring, replacement)
        return true
      })
  })),
  wrong(replaced, "revokes a key that is to retire", (right, ring) => ({
    replace: ({ by, id, until }) =>
      Effect.suspend(() => {
        const isGood = keyOf(ring, id)?.revoked === undefined
        return isGood
          ? Effect.zipRight(right.revoke(id, until), right.add(by))
          : Effect.succeed(false)
      })
  })),
  wrong(replaced, "takes a key for expired that is about to", (right, ring) => ({
    replace: (replacement) =>
      Effect.suspend(() => {
        const expires = keyOf(ring, replacement.id)?.expires ?? Number.POSITIVE_INFINITY
        return expires - 1 <= replacement.by.created
          ? Effect.succeed(false)
          : right.replace(replacement)
      })
  })),
  wrong(ended, "does not look at the key that it replaces", (_, ring) => ({
    replace: regardless(ring)
  })),
  wrong(ended, "lets a key that has not retired yet retire again", (right, ring) => ({
    replace: (replacement) =>
      Effect.suspend(() => {
        const retires = keyOf(ring, replacement.id)?.retires ?? 0
        return retires > replacement.by.created
          ? regardless(ring)(replacement)
          : right.replace(replacement)
      })
  })),
  wrong(ended, "does not look at the expiry", (right, ring) => ({
    replace: (replacement) =>
      Effect.suspend(() => {
        const key = keyOf(ring, replacement.id)
        return key?.expires !== undefined && key.revoked === undefined
          ? regardless(ring)(replacement)
          : right.replace(replacement)
      })
  })),
  wrong(ended, "lets a key be good at the moment it expires", (right, ring) => ({
    replace: (replacement) =>
      Effect.suspend(() =>
        keyOf(ring, replacement.id)?.expires === replacement.by.created
          ? regardless(ring)(replacement)
          : right.replace(replacement)
      )
  })),
  wrong(ended, "refuses, but adds the other key", (right) => ({
    replace: (replacement) =>
      Effect.tap(right.replace(replacement), (isDone) => !isDone && right.add(replacement.by))
  })),
  wrong(taken, "ends the key before it looks", (right, ring) => ({
    replace: (replacement) =>
      Effect.gen(function* () {
        if (yield* right.replace(replacement)) return true
        if (keyOf(ring, replacement.by.id)) retire(ring, replacement)
        return false
      })
  })),
  wrong(rivals, "looks, waits, and replaces", (_, ring) => ({
    replace: (replacement) =>
      Effect.gen(function* () {
        if (keyOf(ring, replacement.id)?.retires !== undefined) return false
        yield* Effect.yieldNow()
        return yield* regardless(ring)(replacement)
      })
  })),
  wrong(revoked, "holds on to the end of a replaced key", (right) => {
    const replaced = new Set<string>()
    return {
      replace: (replacement) =>
        Effect.tap(right.replace(replacement), () => replaced.add(replacement.id)),
      revoke: (id, at) =>
        Effect.suspend(() => (replaced.has(id) ? Effect.succeed(true) : right.revoke(id, at)))
    }
  }),
  wrong(revoked, "forgets that a key was replaced", (_, ring) => ({
    revoke: (id, at) =>
      Effect.sync(() => {
        const { retires: _, ...key } = keyOf(ring, id) ?? {}
        if ("id" in key) put(ring, { ...key, revoked: at })
        return "id" in key
      })
  })),
  { law: reopened, how: "forgets everything", place: placeOf(() => make({ keys: [] })) },
  {
    law: reopened,
    how: "saves new keys, but not their changes",
    place: placeOf((ring) => {
      const memory = { keys: ring.keys }
      const right = make(memory)
      const saved = make(ring)
      return {
        ...right,
        add: (key) => Effect.zipLeft(right.add(key), saved.add(key)),
        addFirst: (key) => Effect.zipLeft(right.addFirst(key), saved.addFirst(key))
      }
    })
  },
  {
    law: shared,
    how: "reads its keys once",
    place: Effect.sync(() => {
      const ring: Ring = { keys: [] }
      return Layer.effect(
        ApiKeyStore,
        Effect.sync(() => {
          const memory = { keys: ring.keys }
          const [right, saved] = [make(memory), make(ring)]
          return {
            list: right.list,
            changes: right.changes,
            add: (key) => Effect.zipLeft(right.add(key), saved.add(key)),
            addFirst: (key) => Effect.zipLeft(right.addFirst(key), saved.addFirst(key)),
            revoke: (id, at) => Effect.zipLeft(right.revoke(id, at), saved.revoke(id, at)),
            replace: (one) => Effect.zipLeft(right.replace(one), saved.replace(one)),
            noteUses: (all, now) =>
              Effect.zipLeft(right.noteUses(all, now), saved.noteUses(all, now))
          }
        })
      )
    })
  },
  {
    law: shared,
    how: "reads its own changes only",
    place: Effect.sync(() => {
      const ring: Ring = { keys: [] }
      return Layer.sync(ApiKeyStore, () => {
        const right = make(ring)
        const own = make({ keys: [] })
        return {
          ...right,
          changes: own.changes,
          add: (key) => Effect.zipLeft(right.add(key), own.add(key)),
          addFirst: (key) => Effect.zipLeft(right.addFirst(key), own.addFirst(key)),
          revoke: (id, at) => Effect.zipLeft(right.revoke(id, at), own.revoke(id, at))
        }
      })
    })
  }
]
