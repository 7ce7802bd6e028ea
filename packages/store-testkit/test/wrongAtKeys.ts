import { Instant, KeyName } from "@petstore/access/ApiKey"
import { keeping } from "@petstore/store-testkit/KeyLaws"
import { Effect } from "effect"
import { keyOf, put } from "./RightKeyStore.ts"
import { type WrongKeyStore, wrong, wrongKey } from "./WrongKeyStore.ts"

const sixty = 60_000

export const wrongAtKeys: ReadonlyArray<WrongKeyStore> = [
  wrongKey(keeping.added, "sorts the scopes", (key) => ({
    ...key,
    scopes: key.scopes.length > 1 ? ["pets:read", "pets:write"] : key.scopes
  })),
  wrongKey(keeping.added, "keeps one scope", (key) => ({ ...key, scopes: [key.scopes[0]] })),
  wrongKey(keeping.added, "keeps an empty key", (key) =>
    Object.defineProperty({ ...key }, "expires", { value: key.expires, enumerable: true })
  ),
  wrongKey(keeping.added, "lets every key expire", (key) => ({ expires: Instant.make(0), ...key })),
  wrongKey(keeping.added, "forgets that a key was used", ({ lastUsed: _, ...key }) => key),
  wrongKey(keeping.added, "forgets that a key is revoked", ({ revoked: _, ...key }) => key),
  wrongKey(keeping.added, "forgets that a key retires", ({ retires: _, ...key }) => key),
  wrongKey(keeping.names, "normalises names", (key) => ({
    ...key,
    name: KeyName.make(key.name.normalize("NFC"))
  })),
  wrongKey(keeping.names, "trims names", (key) => ({
    ...key,
    name: KeyName.make(key.name.trim())
  })),
  wrongKey(keeping.names, "cuts names short", (key) => ({
    ...key,
    name: KeyName.make(key.name.slice(0, 64))
  })),
  wrongKey(keeping.moments, "keeps whole minutes", (key) => ({
    ...key,
    created: Instant.make(key.created - (key.created % sixty))
  })),
  wrongKey(keeping.moments, "treats zero as never", ({ expires, ...key }) => ({
    ...key,
    ...(expires ? { expires } : {})
  })),
  wrong(keeping.order, "lists keys as they came", (right, ring) => ({
    add: (key) =>
      Effect.tap(right.add(key), (isAdded) => {
        if (isAdded) ring.keys = [...ring.keys.filter(({ id }) => id !== key.id), key]
      })
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
  wrong(keeping.taken, "overwrites the key that has it", (_, ring) => ({
    add: (key) =>
      Effect.sync(() => {
        put(ring, key)
        return true
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
  wrong(keeping.together, "writes back what it read before", (_, ring) => ({
    add: (key) =>
      Effect.gen(function* () {
        const copy = { keys: ring.keys }
        if (keyOf(ring, key.id) !== undefined) return false
        yield* Effect.yieldNow()
        put(copy, key)
        ring.keys = copy.keys
        return true
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
  }))
]
