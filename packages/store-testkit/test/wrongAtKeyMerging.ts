import { merging } from "@petstore/store-testkit/KeyLaws"
import { Effect } from "effect"
import { keyOf, put } from "./RightKeyStore.ts"
import { type WrongKeyStore, wrong } from "./WrongKeyStore.ts"

export const wrongAtKeyMerging: ReadonlyArray<WrongKeyStore> = [
  wrong(merging.added, "revives a key that it takes over", (right) => ({
    merge: ({ revoked: _, ...key }) => right.merge(key)
  })),
  wrong(merging.added, "forgets when it was used", (right) => ({
    merge: ({ lastUsed: _, ...key }) => right.merge(key)
  })),
  wrong(merging.joined, "lets what is merged last hold", (right, ring) => ({
    merge: (key) => Effect.tap(right.merge(key), (isDone) => isDone && put(ring, key))
  })),
  wrong(merging.joined, "keeps what it has", (right, ring) => ({
    merge: (key) =>
      Effect.suspend(() => (keyOf(ring, key.id) ? Effect.succeed(true) : right.merge(key)))
  })),
  wrong(merging.taken, "merges keys of one id, whatever their digest", (right, ring) => ({
    merge: (key) => right.merge({ ...key, digest: keyOf(ring, key.id)?.digest ?? key.digest })
  })),
  wrong(merging.taken, "overwrites the key that has the id", (_, ring) => ({
    merge: (key) => {
      put(ring, key)
      return Effect.succeed(true)
    }
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
  })
]
