/** Keeps the keys in memory, so that requests do not read the store. */
import { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { ApiKeyRefused, type Grant, Instant, type KeyDigest, stateAt } from "../ApiKey.ts"
import type { ApiKeyStore } from "../ApiKeyStore.ts"
import * as KeyTable from "./KeyTable.ts"

/** Options of a directory. */
export interface Options {
  /** Keys to accept besides those in the store, which override these so that they can be revoked. */
  readonly fixed?: ReadonlyArray<Grant>
}

/** A read begins twice this long after the one before, or once if a request waits for it. */
const pauseMillis = 250
/** Changes must be known within a second: if the last read is older, as after a suspension, requests wait for one. */
const maxDelay = 1000
/** How long keys are accepted that cannot be read again: a short outage of the store refuses no request. */
const maxAge = 60_000
const noteInterval = "10 seconds"
/** Longer than our stores wait for their databases: they report an outage themselves, and better. */
const refreshTimeout = 10_000
const closeTimeout = "1 second"

const late = new StoreUnavailable({
  reason: "busy",
  cause: new Error("keys were not read in time")
})
const unknown = Exit.fail(new ApiKeyRefused({ reason: "unknown" }))

/** Reads the keys, then their changes until the scope is closed. The port, `ApiKeys`, says what the methods are for. */
export const make = (store: ApiKeyStore["Type"], { fixed = [] }: Options) =>
  Effect.gen(function* () {
    const clock = yield* Effect.clock
    const table = KeyTable.make()
    const fixedGrants = new Map(fixed.map((grant) => [grant.digest, Exit.succeed(grant)]))
    const now = (): Moment => ({
      wall: clock.unsafeCurrentTimeMillis(),
      nanos: clock.unsafeCurrentTimeNanos()
    })
    let version: string | undefined
    let readAt = now()
    let isFailing = false
    /** Whether what is known may be used for a request of this moment. */
    const isKnown = (at: Moment) => millisBetween(readAt, at) < (isFailing ? maxAge : maxDelay)

    const read = Effect.suspend(() => {
      const startedAt = now()
      return Effect.map(store.changes(version), (changes) => {
        table.learn(changes)
        version = changes.version
        readAt = startedAt
        isFailing = false
      }).pipe(
        Effect.timeoutFail({
          duration: refreshTimeout,
          onTimeout: () => late
        }),
        Effect.tapErrorCause((cause) => {
          const isNew = !isFailing
          // One that took longer was suspended: the store may be fine.
          isFailing = millisBetween(startedAt, now()) < refreshTimeout + maxDelay
          return isNew ? logUnseen(cause) : Effect.void
        })
      )
    })
    const isAsked = yield* Effect.makeLatch()
    /** Opens when the read that begins next ends, well or not. */
    let nextEnd = Effect.unsafeMakeLatch()
    /** Completes when a read ends that begins from now on. */
    const nextRead = Effect.suspend(() => {
      // Taken first: the read may begin as soon as the latch is open.
      const end = nextEnd
      isAsked.unsafeOpen()
      return end.await
    })
    const readAgain = Effect.suspend(() => {
      isAsked.unsafeClose()
      const end = nextEnd
      nextEnd = Effect.unsafeMakeLatch()
      return Effect.ensuring(Effect.exit(read), end.open)
    })
    const pause = Effect.andThen(
      Effect.sleep(pauseMillis),
      Effect.timeoutOption(isAsked.await, pauseMillis)
    )

    const find = (digest: KeyDigest, at: Moment): Exit.Exit<Grant, ApiKeyRefused> => {
      const entry = table.find(digest)
      if (entry === undefined) return fixedGrants.get(digest) ?? unknown
      const state = entry.end <= at.wall ? stateAt(entry.key, at.wall) : "active"
      if (state !== "active" || !isKnown(at)) {
        const reason = state === "active" ? "outdated" : state
        return Exit.fail(new ApiKeyRefused({ reason, id: entry.key.id }))
      }
      entry.used = at.wall
      return Exit.succeed(entry.key)
    }

    const noteUses = Effect.suspend(() => {
      const now = clock.unsafeCurrentTimeMillis()
      const pending = table.unnoted(now)
      if (pending.length === 0) return Effect.void
      const uses = pending.map(([, use]) => use)
      return Effect.map(store.noteUses(uses, Instant.make(now)), () => {
        for (const [entry, { at }] of pending) entry.noted = at
      })
    })

    yield* read
    // With a timeout, so that a slow store does not delay shutdown.
    yield* Effect.addFinalizer(() =>
      noteUses.pipe(Effect.interruptible, Effect.timeout(closeTimeout), Effect.ignore)
    )
    // One fiber reads: no request that is given up interrupts a read, and no slow read overwrites the result of a later one.
    yield* repeatedly(Effect.andThen(pause, readAgain)).pipe(
      Effect.ensuring(Effect.suspend(() => nextEnd.open)),
      Effect.forkScoped
    )
    const noteAgain = Effect.exit(Effect.tapErrorCause(noteUses, logUnseen))
    yield* Effect.forkScoped(repeatedly(Effect.delay(noteAgain, noteInterval)))

    return {
      isCurrent: () => !isFailing || isKnown(now()),
      age: () => Duration.millis(millisBetween(readAt, now())),
      countExpiring: (within: Duration.Duration) => {
        const now = clock.unsafeCurrentTimeMillis()
        return table.countExpiring(now, now + Duration.toMillis(within))
      },
      authenticate: (
        digest: KeyDigest,
        mayBeNew: () => boolean = () => false
      ): Effect.Effect<Grant, ApiKeyRefused> => {
        const at = now()
        const search = () => find(digest, at)
        if (!isFailing && !isKnown(at)) return Effect.flatMap(nextRead, search)
        const found = search()
        return found === unknown && !isFailing && mayBeNew()
          ? Effect.flatMap(nextRead, search)
          : found
      }
    }
  })

/** A moment by both clocks: neither is enough alone. */
interface Moment {
  /** Milliseconds; the wall clock may be set back. */
  readonly wall: number
  /** Nanoseconds; the monotonic clock stops while the machine is suspended. */
  readonly nanos: bigint
}

/** By the clock that has advanced more: too old is harmless, it costs a read of the store. */
const millisBetween = (from: Moment, to: Moment): number =>
  Math.max(to.wall - from.wall, Number(to.nanos - from.nanos) / 1e6)

/** Logs a defect, and that the store did not answer in time. Whoever provides the store sees its own failures. */
const logUnseen = (cause: Cause.Cause<StoreUnavailable>) => {
  const failure = Cause.failureOption(cause)
  return Option.isSome(failure) && failure.value !== late
    ? Effect.void
    : Effect.logError("the store of keys did not answer as it should", cause)
}

/** Interruptible even in an uninterruptible caller; else closing the scope hangs. */
const repeatedly = (effect: Effect.Effect<unknown>) => Effect.interruptible(Effect.forever(effect))
