/** The keys that are good at the moment, in memory, so that no request asks the store for one. */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import {
  type ApiKey,
  endOf,
  type Grant,
  Instant,
  type KeyDigest,
  type KeyId,
  UnknownApiKey
} from "./ApiKey.ts"
import type { ApiKeyStore, Use } from "./ApiKeyStore.ts"
import * as Immediate from "./Immediate.ts"
import { StoreUnavailable } from "./PetStore.ts"

/** What the directory knows besides the store. */
export interface Options {
  /** Keys that open the service although they were never issued. */
  readonly fixed?: ReadonlyArray<Grant>
}

/** Knows the keys of a store. */
export interface KeyDirectory {
  /** What the key with this digest allows; the same steps for every key that is not good. */
  readonly authenticate: (digest: KeyDigest) => Effect.Effect<Grant, UnknownApiKey>
  /** Learns at once what has changed in the store, or a little later when it cannot be read now. */
  readonly refresh: Effect.Effect<void>
}

interface Entry {
  readonly id: KeyId | undefined
  readonly end: number
  readonly grant: Exit.Exit<Grant>
  /** The last minute of use that the store knows. */
  readonly noted: number
  used: number
}

/** Two looks a second, so that whatever happens to a key is known within one. */
const refreshInterval = "500 millis"
const noteInterval = "10 seconds"
const longestLook = "5 seconds"
const longestEnd = "1 second"
const minute = 60_000

const tooSlow = new StoreUnavailable({ reason: "busy" })
const unknown = Exit.fail(new UnknownApiKey())

/** Reads the keys, and goes on reading them for as long as the scope is open. */
export const make = (
  store: ApiKeyStore["Type"],
  { fixed = [] }: Options
): Effect.Effect<KeyDirectory, StoreUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const clock = yield* Effect.clock
    // A key that was issued as well is what it was issued as, so that it can be revoked.
    const fixedEntries = fixed.map((grant): [KeyDigest, Entry] => [grant.digest, fixedEntry(grant)])
    let known: ReadonlyArray<ApiKey> | undefined
    let entries = new Map<KeyDigest, Entry>()

    const learn = (keys: ReadonlyArray<ApiKey>) => {
      if (keys === known) return
      known = keys
      const next = new Map(fixedEntries)
      for (const key of keys) {
        const { digest, id, lastUsed = 0 } = key
        const used = entries.get(digest)?.used ?? 0
        next.set(digest, { id, end: endOf(key), grant: Exit.succeed(key), noted: lastUsed, used })
      }
      entries = next
    }
    // One look at a time: an earlier one that was slow must not undo what a later one learnt.
    const looking = yield* Effect.makeSemaphore(1)
    const refresh = Effect.map(store.list, learn).pipe(
      Effect.timeoutFail({ duration: longestLook, onTimeout: () => tooSlow }),
      looking.withPermits(1)
    )

    /** Kept to the minute: a key in use is noted once in each. */
    const noteUses = Effect.suspend(() => {
      const uses: Array<Use> = []
      for (const { id, noted, used } of entries.values()) {
        const at = used - (used % minute)
        if (id !== undefined && at > noted) uses.push({ id, at: Instant.make(at) })
      }
      return uses.length === 0 ? Effect.void : store.noteUses(uses)
    })

    yield* refresh
    // Nobody who stops a server waits long for this.
    yield* Effect.addFinalizer(() =>
      noteUses.pipe(Effect.interruptible, Effect.timeout(longestEnd), Effect.ignore)
    )
    yield* repeatedly(
      refreshInterval,
      refresh,
      "keys cannot be read; those known before still hold"
    )
    yield* repeatedly(noteInterval, noteUses, "the use of keys cannot be noted")

    return {
      refresh: Effect.ignore(refresh),
      authenticate: (digest) =>
        Immediate.make(() => {
          const now = clock.unsafeCurrentTimeMillis()
          const entry = entries.get(digest)
          if (entry === undefined || entry.end <= now) return unknown
          entry.used = now
          return entry.grant
        })
    }
  })

const fixedEntry = (grant: Grant): Entry => ({
  id: undefined,
  end: Number.POSITIVE_INFINITY,
  grant: Exit.succeed(grant),
  noted: 0,
  used: 0
})

/** Runs this now and then, beside everything else; that it fails is told once, not every time. */
const repeatedly = (
  interval: Duration.DurationInput,
  effect: Effect.Effect<void, StoreUnavailable>,
  complaint: string
) => {
  let isFailing = false
  return effect.pipe(
    // Whatever goes wrong, even what nobody foresaw, it is tried again.
    Effect.matchCauseEffect({
      onFailure: (cause) => {
        const isNew = !isFailing
        isFailing = true
        return isNew ? Effect.logWarning(complaint, cause) : Effect.void
      },
      onSuccess: () =>
        Effect.sync(() => {
          isFailing = false
        })
    }),
    Effect.repeat(Schedule.spaced(interval)),
    Effect.delay(interval),
    Effect.forkScoped
  )
}
