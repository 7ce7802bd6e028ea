import { Instant, KeyName } from "@petstore/access/ApiKey"
import { Effect } from "effect"
import { keyOf, put } from "./RightKeyStore.ts"
import { type WrongKeyStore, wrong, wrongKey } from "./WrongKeyStore.ts"

const added = "a key is listed as it was added"
const names = "a key's name is kept letter for letter"
const moments = "a key's moments are kept to the millisecond"
const order = "keys are listed by the time of their creation, then by id"
const taken = "a key whose id is taken is refused, and changes nothing"
const first = "a first key is added when there is none at all, not even one that has ended"
const firsts = "of many first keys at once exactly one is added"
const together = "keys added at once are all kept, one for each id"

const sixty = 60_000

export const wrongAtKeys: ReadonlyArray<WrongKeyStore> = [
  wrongKey(added, "sorts the scopes", (key) => ({
    ...key,
    scopes: key.scopes.length > 1 ? ["pets:read", "pets:write"] : key.scopes
  })),
  wrongKey(added, "keeps one scope", (key) => ({ ...key, scopes: [key.scopes[0]] })),
  wrongKey(added, "keeps an empty key", (key) =>
    Object.defineProperty({ ...key }, "expires", { value: key.expires, enumerable: true })
  ),
  wrongKey(added, "lets every key expire", (key) => ({ expires: Instant.make(0), ...key })),
  wrongKey(added, "forgets that a key was used", ({ lastUsed: _, ...key }) => key),
  wrongKey(added, "forgets that a key is revoked", ({ revoked: _, ...key }) => key),
  wrongKey(added, "forgets that a key retires", ({ retires: _, ...key }) => key),
  wrongKey(names, "normalises names", (key) => ({
    ...key,
    name: KeyName.make(key.name.normalize("NFC"))
  })),
  wrongKey(names, "trims names", (key) => ({ ...key, name: KeyName.make(key.name.trim()) })),
  wrongKey(names, "cuts names short", (key) => ({
    ...key,
    name: KeyName.make(key.name.slice(0, 64))
  })),
  wrongKey(moments, "keeps whole minutes", (key) => ({
    ...key,
    created: Instant.make(key.created - (key.created % sixty))
  })),
  wrongKey(moments, "takes nought for never", ({ expires, ...key }) => ({
    ...key,
    ...(expires ? { expires } : {})
  })),
  wrong(order, "lists keys as they came", (right, ring) => ({
    add: (key) =>
      Effect.tap(right.add(key), (isAdded) => {
        if (isAdded) ring.keys = [...ring.keys.filter(({ id }) => id !== key.id), key]
      })
  })),
  wrong(order, "sorts moments as text", (right, ring) => ({
    add: (key) =>
      Effect.tap(right.add(key), () => {
        const text = (key: { created: number; id: string }) => `${key.created} ${key.id}`
        ring.keys = ring.keys.toSorted((a, b) => (text(a) < text(b) ? -1 : 1))
      })
  })),
  wrong(order, "does not look at ids", (right, ring) => ({
    add: (key) =>
      Effect.tap(right.add(key), () => {
        const others = ring.keys.filter(({ id }) => id !== key.id)
        ring.keys = [...others, key].sort((a, b) => a.created - b.created)
      })
  })),
  wrong(taken, "lets the last one have it", (_, ring) => ({
    add: (key) =>
      Effect.sync(() => {
        put(ring, key)
        return true
      })
  })),
  wrong(taken, "refuses a key, but keeps it", (right, ring) => ({
    add: (key) => Effect.tap(right.add(key), (isAdded) => !isAdded && put(ring, key))
  })),
  wrong(first, "looks for keys that are good", (right, ring) => ({
    addFirst: (key) =>
      Effect.suspend(() =>
        ring.keys.some((key) => key.revoked === undefined) ? Effect.succeed(false) : right.add(key)
      )
  })),
  wrong(first, "calls every key the first", (right) => ({ addFirst: right.add })),
  wrong(firsts, "looks for keys, waits, and adds one", (right, ring) => ({
    addFirst: (key) =>
      Effect.gen(function* () {
        if (ring.keys.length > 0) return false
        yield* Effect.yieldNow()
        return yield* right.add(key)
      })
  })),
  wrong(together, "writes back what it read before", (_, ring) => ({
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
  wrong(together, "looks for the id, waits, and takes it", (_, ring) => ({
    add: (key) =>
      Effect.gen(function* () {
        if (keyOf(ring, key.id) !== undefined) return false
        yield* Effect.yieldNow()
        put(ring, key)
        return true
      })
  }))
]
