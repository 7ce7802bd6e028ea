/** The keys of a directory, by digest. A change costs as much as it changes, not as there are keys. */
import { endOf, type Grant, Instant, type KeyDigest, type KeyId } from "../ApiKey.ts"
import type { KeyChanges, Use } from "../ApiKeyStore.ts"

/** What a request needs of a key. */
export interface Entry {
  readonly grant: Grant
  readonly end: number
  /** The last use that is recorded in the store, to the minute; 0 for none. */
  noted: number
  /** The last use; 0 for none. */
  used: number
}

/** The keys of a store, and those that are accepted although they were never issued. */
export interface KeyTable {
  readonly find: (digest: KeyDigest) => Entry | undefined
  readonly learn: (changes: KeyChanges) => void
  /** The keys whose last use is not recorded yet, to the minute, each with its use. */
  readonly unnoted: (now: number) => ReadonlyArray<readonly [Entry, Use]>
}

const minute = 60_000

/** A table of these fixed keys. An issued key with the same digest replaces one, so that it can be revoked. */
export const make = (fixed: ReadonlyArray<Grant>): KeyTable => {
  const fixedEntries = new Map(fixed.map((grant) => [grant.digest, fixedEntry(grant)]))
  const entries = new Map(fixedEntries)
  const digests = new Map<KeyId, KeyDigest>()

  const forget = (id: KeyId) => {
    const digest = digests.get(id)
    digests.delete(id)
    // Another key may have the digest by now.
    if (digest === undefined || entries.get(digest)?.grant.id !== id) return
    const fixedOne = fixedEntries.get(digest)
    if (fixedOne === undefined) entries.delete(digest)
    else entries.set(digest, fixedOne)
  }

  return {
    find: (digest) => entries.get(digest),
    learn: ({ isAll, keys }) => {
      if (isAll) {
        const ids = new Set(keys.map(({ id }) => id))
        for (const id of digests.keys()) if (!ids.has(id)) forget(id)
      }
      for (const key of keys) {
        const { digest, id, lastUsed: noted = 0 } = key
        const used = entries.get(digest)?.used ?? 0
        if (digests.get(id) !== digest) forget(id)
        digests.set(id, digest)
        entries.set(digest, { grant: key, end: endOf(key), noted, used })
      }
    },
    unnoted: (now) => {
      const found: Array<readonly [Entry, Use]> = []
      for (const entry of entries.values()) {
        // Later than now after the clock was set back: the key was used by now at the latest.
        entry.used = Math.min(entry.used, now)
        const at = entry.used - (entry.used % minute)
        const isNoted = at <= entry.noted && entry.noted <= now
        // The use of a key that was never issued is recorded nowhere.
        const { id } = entry.grant
        if (id === undefined || entry.used === 0 || isNoted) continue
        // Not validated: there may be very many, and each is a time of the clock.
        found.push([entry, { id, at: Instant.make(at, true) }])
      }
      return found
    }
  }
}

const fixedEntry = (grant: Grant): Entry => ({
  grant,
  end: Number.POSITIVE_INFINITY,
  noted: 0,
  used: 0
})
