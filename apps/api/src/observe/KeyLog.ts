/** Logs that keys were created, rotated and revoked: one line for each key, whichever process changed it. */
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
          const change = changeOf(known.get(key.id), key)
          known.set(key.id, key)
          const { id: keyId, name } = key
          return since === undefined || change === undefined
            ? []
            : Effect.annotateLogs(Effect.logInfo(`API key ${keyId} (${name}) ${change}`), { keyId })
        })
        return Effect.all(lines, { discard: true })
      })
  }
}

const changeOf = (before: ApiKey | undefined, key: ApiKey): string | undefined => {
  if (before === undefined) return `was created, with ${key.scopes.join(" and ")}`
  if (key.revoked !== before.revoked) return "was revoked"
  if (key.retires === before.retires || key.retires === undefined) return undefined
  return `was rotated; it ends at ${new Date(key.retires).toISOString()}`
}
