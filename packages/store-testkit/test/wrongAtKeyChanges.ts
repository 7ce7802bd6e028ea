import { Instant, latest } from "@petstore/access/ApiKey"
import { changes } from "@petstore/store-testkit/KeyLaws"
import { Effect } from "effect"
import { keyOf, put } from "./RightKeyStore.ts"
import { type WrongKeyStore, wrong } from "./WrongKeyStore.ts"

export const wrongAtKeyChanges: ReadonlyArray<WrongKeyStore> = [
  wrong(changes.revoked, "revokes as of now, whatever time is given", (right) => ({
    revoke: (id) => right.revoke(id, Instant.make(1_800_000_000_000))
  })),
  wrong(changes.revoked, "forgets a revoked key", (right, ring) => ({
    revoke: (id, at) =>
      Effect.tap(right.revoke(id, at), () => {
        ring.keys = ring.keys.filter((key) => key.id !== id)
      })
  })),
  wrong(changes.revoked, "takes the expiry away", (right, ring) => ({
    revoke: (id, at) =>
      Effect.tap(right.revoke(id, at), () => {
        const { expires: _, ...key } = keyOf(ring, id) ?? {}
        if ("id" in key) put(ring, key)
      })
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
  wrong(changes.earlier, "refuses a later revocation", (right, ring) => ({
    revoke: (id, at) =>
      Effect.suspend(() =>
        at > (keyOf(ring, id)?.revoked ?? at) ? Effect.succeed(false) : right.revoke(id, at)
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
  wrong(changes.uses, "keeps the use that is noted last", (_, ring) => ({
    noteUses: (uses) =>
      Effect.sync(() => {
        for (const { at, id } of uses) {
          const key = keyOf(ring, id)
          if (key !== undefined) put(ring, { ...key, lastUsed: at })
        }
      })
  })),
  wrong(changes.uses, "keeps the latest use of those that are noted last", (_, ring) => ({
    noteUses: (uses) =>
      Effect.sync(() => {
        for (const { at, id } of uses.toSorted((a, b) => a.at - b.at)) {
          const key = keyOf(ring, id)
          if (key !== undefined) put(ring, { ...key, lastUsed: at })
        }
      })
  })),
  wrong(changes.uses, "notes the last of several uses of a key", (right) => ({
    noteUses: (uses, now) =>
      right.noteUses([...new Map(uses.map((use) => [use.id, use])).values()], now)
  })),
  wrong(changes.uses, "notes the first of several uses", (right) => ({
    noteUses: (uses, now) => right.noteUses(uses.slice(0, 1), now)
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
  wrong(changes.future, "uses its own clock", (right) => ({
    noteUses: (uses) => right.noteUses(uses, Instant.make(1_700_000_000_050))
  })),
  wrong(changes.future, "treats the current time as the future", (right) => ({
    noteUses: (uses, now) => right.noteUses(uses, Instant.make(now - 1))
  })),
  wrong(changes.future, "replaces the first of the keys only", (right) => ({
    noteUses: (uses, now) =>
      Effect.forEach(uses, (use, nth) =>
        right.noteUses([use], nth === 0 ? now : Instant.make(latest))
      )
  }))
]
