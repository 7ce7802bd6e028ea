/** The keys in memory, so that no request reads the store. */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { type Grant, Instant, type KeyDigest, UnknownApiKey } from "../ApiKey.ts"
import type { ApiKeyStore, KeyChanges } from "../ApiKeyStore.ts"
import { StoreUnavailable } from "../StoreUnavailable.ts"
import * as KeyTable from "./KeyTable.ts"

/** Keys that are not in the store. */
export interface Options {
  /** Keys that are accepted although they were never issued. */
  readonly fixed?: ReadonlyArray<Grant>
}

/** The keys of a store, in memory. */
export interface KeyDirectory {
  /** What the key with this digest allows. Every invalid key takes the same steps. */
  readonly authenticate: (digest: KeyDigest) => Either.Either<Grant, UnknownApiKey>
  /** Reads what has changed in the store; if that fails, the next regular read does it. */
  readonly refresh: Effect.Effect<void>
}

/** Twice a second, so that every change of a key is known within a second. */
const refreshInterval = "500 millis"
const noteInterval = "10 seconds"
const longestLook = "5 seconds"
const longestEnd = "1 second"

const tooSlow = new StoreUnavailable({ reason: "busy" })
const unknown = Either.left(new UnknownApiKey())

/** Reads the keys, and then their changes for as long as the scope is open. */
export const make = (
  store: ApiKeyStore["Type"],
  { fixed = [] }: Options
): Effect.Effect<KeyDirectory, StoreUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const clock = yield* Effect.clock
    const table = KeyTable.make(fixed)
    let version: number | undefined
    const learn = (changes: KeyChanges) => {
      table.learn(changes)
      version = changes.version
    }
    // One read at a time: a slow, earlier one must not undo what a later one has learned.
    const looking = yield* Effect.makeSemaphore(1)
    const refresh = Effect.suspend(() => store.changes(version)).pipe(
      Effect.timeoutFail({ duration: longestLook, onTimeout: () => tooSlow }),
      Effect.map(learn),
      looking.withPermits(1)
    )

    const noteUses = Effect.suspend(() => {
      const now = clock.unsafeCurrentTimeMillis()
      const pending = table.unnoted(now)
      if (pending.length === 0) return Effect.void
      const uses = pending.map(([, use]) => use)
      return Effect.map(store.noteUses(uses, Instant.make(now)), () => {
        for (const [entry, { at }] of pending) entry.noted = at
      })
    })

    yield* refresh
    // Bounded, so that stopping a server does not wait for this.
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
      authenticate: (digest) => {
        const now = clock.unsafeCurrentTimeMillis()
        const entry = table.find(digest)
        if (entry === undefined || entry.end <= now) return unknown
        entry.used = now
        return Either.right(entry.grant)
      }
    }
  })

/** Repeats this in the background. Failures in a row are logged once. */
const repeatedly = (
  interval: Duration.DurationInput,
  effect: Effect.Effect<void, StoreUnavailable>,
  complaint: string
) => {
  let isFailing = false
  return effect.pipe(
    // Repeated whatever goes wrong, defects included.
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
