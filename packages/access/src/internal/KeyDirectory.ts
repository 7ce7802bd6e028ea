/** Keeps the keys in memory, so that requests do not read the store. */
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Schedule from "effect/Schedule"
import { ApiKeyRefused, type Grant, Instant, type KeyDigest, stateAt } from "../ApiKey.ts"
import type { ApiKeyStore } from "../ApiKeyStore.ts"
import * as KeyTable from "./KeyTable.ts"

/** Options of a directory. */
export interface Options {
  /** Keys to accept besides those in the store, which override these so that they can be revoked. */
  readonly fixed?: ReadonlyArray<Grant>
}

/** Changes must be known within a second. */
const refreshInterval = "500 millis"
/** How long keys are accepted that cannot be read again: a short outage of the store refuses no request. */
const maxAge = Duration.unsafeToNanos("1 minute")
const noteInterval = "10 seconds"
const refreshTimeout = "5 seconds"
const closeTimeout = "1 second"

const unknown = Either.left(new ApiKeyRefused({ reason: "unknown" }))

/** Reads the keys, then their changes until the scope is closed. */
export const make = (store: ApiKeyStore["Type"], { fixed = [] }: Options) =>
  Effect.gen(function* () {
    const clock = yield* Effect.clock
    const table = KeyTable.make()
    const fixedGrants = new Map(fixed.map((grant) => [grant.digest, Either.right(grant)]))
    let version: string | undefined
    let readAt = 0n
    let isCurrent = false
    // One read at a time: a slow one must not overwrite the result of a later one.
    const reading = yield* Effect.makeSemaphore(1)
    const refresh = Effect.suspend(() => {
      const now = clock.unsafeCurrentTimeNanos()
      return Effect.map(store.changes(version), (changes) => {
        table.learn(changes)
        version = changes.version
        readAt = now
        isCurrent = true
      })
    }).pipe(
      Effect.timeout(refreshTimeout),
      Effect.tapErrorCause(() => {
        if (!isCurrent || clock.unsafeCurrentTimeNanos() - readAt < maxAge) return Effect.void
        isCurrent = false
        return Effect.logError(
          "keys could not be read for a minute; requests with stored keys get 503"
        )
      }),
      reading.withPermits(1)
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
    // With a timeout, so that a slow store does not delay shutdown.
    yield* Effect.addFinalizer(() =>
      noteUses.pipe(Effect.interruptible, Effect.timeout(closeTimeout), Effect.ignore)
    )
    yield* repeatedly(
      refreshInterval,
      refresh,
      "cannot read changes of keys; using the last known for up to a minute"
    )
    yield* repeatedly(noteInterval, noteUses, "cannot record the last use of keys")

    return {
      /** Reads changes from the store. Failures are ignored: it is read twice a second anyway. */
      refresh: Effect.ignore(refresh),
      /** Whether the store was read within the last minute. */
      isCurrent: () => isCurrent,
      /** How long ago the store was read. */
      age: () => Duration.nanos(clock.unsafeCurrentTimeNanos() - readAt),
      /** How many keys expire within this time. */
      countExpiring: (within: Duration.Duration) => {
        const now = clock.unsafeCurrentTimeMillis()
        return table.countExpiring(now, now + Duration.toMillis(within))
      },
      /** What the key with this digest allows. Takes the same steps for every key that was never issued. */
      authenticate: (digest: KeyDigest): Either.Either<Grant, ApiKeyRefused> => {
        const entry = table.find(digest)
        if (entry === undefined) return fixedGrants.get(digest) ?? unknown
        const now = clock.unsafeCurrentTimeMillis()
        const state = entry.end <= now ? stateAt(entry.key, now) : "active"
        if (state !== "active" || !isCurrent) {
          const reason = state === "active" ? "outdated" : state
          return Either.left(new ApiKeyRefused({ reason, id: entry.key.id }))
        }
        entry.used = now
        return Either.right(entry.key)
      }
    }
  })

/** Repeats this in the background, after defects too. Failures in a row are logged once. */
const repeatedly = (
  interval: Duration.DurationInput,
  effect: Effect.Effect<void, Error>,
  warning: string
) => {
  let isFailing = false
  return Effect.exit(effect).pipe(
    Effect.tap((exit) => {
      const isNew = Exit.isFailure(exit) && !isFailing
      isFailing = Exit.isFailure(exit)
      if (!isNew) return Effect.void
      const { cause } = exit
      if (!Cause.isFailure(cause)) return Effect.logWarning(warning, cause)
      // What is expected needs no stack.
      const [what] = Cause.pretty(cause).split("\n")
      return Effect.zipRight(
        Effect.logWarning(`${warning}: ${what}`),
        Effect.logDebug(warning, cause)
      )
    }),
    Effect.repeat(Schedule.spaced(interval)),
    Effect.delay(interval),
    Effect.forkScoped
  )
}
