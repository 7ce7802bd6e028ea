/** Logs that keys were created, rotated and revoked: one line for each change, whichever process made it. */
import type { ApiKey, KeyId } from "@petstore/access/ApiKey"
import type { ApiKeyStore } from "@petstore/access/ApiKeyStore"
import * as Effect from "effect/Effect"

/** The same store, whose changes are logged when they are read, from the second read on. */
export const watch = (store: ApiKeyStore["Type"]): ApiKeyStore["Type"] => {
  const known = new Map<KeyId, ApiKey>()
  return {
    ...store,
    changes: (since) =>
      Effect.tap(store.changes(since), ({ keys }) => {
        const lines = keys.flatMap((key) => {
          const changes = since === undefined ? [] : changesOf(known.get(key.id), key)
          known.set(key.id, key)
          const { id: keyId, name } = key
          return changes.map((change) =>
            Effect.annotateLogs(Effect.logInfo(`API key ${keyId} (${name}) ${change}`), { keyId })
          )
        })
        return Effect.all(lines, { discard: true })
      })
  }
}

const changesOf = (before: ApiKey | undefined, key: ApiKey): ReadonlyArray<string> => [
  ...(before === undefined ? [`was created, with ${key.scopes.join(" and ")}`] : []),
  ...(key.retires !== undefined && key.retires !== before?.retires
    ? [`was rotated; it ends at ${new Date(key.retires).toISOString()}`]
    : []),
  ...(key.revoked === before?.revoked ? [] : ["was revoked"])
]
