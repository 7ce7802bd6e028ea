/** Issued keys in memory, by digest. Learning a change takes time for the changed keys only. */
import { type ApiKey, endOf, Instant, type KeyDigest, type KeyId } from "../ApiKey.ts"
import type { KeyChanges, Use } from "../ApiKeyStore.ts"

/** What a request needs of a key. */
export interface Entry {
  readonly key: ApiKey
  readonly end: number
  /** The last use that is recorded in the store, to the minute; 0 for none. */
  noted: number
  /** The last use; 0 for none. */
  used: number
}

const minute = 60_000

/** An empty table. */
export const make = () => {
  const entries = new Map<KeyDigest, Entry>()
  const digests = new Map<KeyId, KeyDigest>()

  const forget = (id: KeyId) => {
    const digest = digests.get(id)
    digests.delete(id)
    // Another key may have the digest.
    if (digest !== undefined && entries.get(digest)?.key.id === id) entries.delete(digest)
  }

  return {
    find: (digest: KeyDigest): Entry | undefined => entries.get(digest),
    learn: ({ isAll, keys }: KeyChanges): void => {
      if (isAll) {
        const ids = new Set(keys.map(({ id }) => id))
        for (const id of digests.keys()) if (!ids.has(id)) forget(id)
      }
      for (const key of keys) {
        const { digest, id, lastUsed: noted = 0 } = key
        const used = entries.get(digest)?.used ?? 0
        if (digests.get(id) !== digest) forget(id)
        digests.set(id, digest)
        entries.set(digest, { key, end: endOf(key), noted, used })
      }
    },
    /** How many keys expire between these times. Revoked and rotated ones do not count. */
    countExpiring: (after: number, until: number): number =>
      [...entries.values()].filter(
        ({ end, key }) => key.retires === undefined && end > after && end <= until
      ).length,
    /** The keys whose last use is not recorded yet, to the minute, each with its use. */
    unnoted: (now: number): ReadonlyArray<readonly [Entry, Use]> => {
      const found: Array<readonly [Entry, Use]> = []
      for (const entry of entries.values()) {
        // Clamped to now, in case the clock went back.
        entry.used = Math.min(entry.used, now)
        const at = entry.used - (entry.used % minute)
        const isNoted = at <= entry.noted && entry.noted <= now
        if (entry.used === 0 || isNoted) continue
        // Not validated, for speed: it is a time of the clock.
        found.push([entry, { id: entry.key.id, at: Instant.make(at, true) }])
      }
      return found
    }
  }
}
