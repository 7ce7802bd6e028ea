/** Limits how often each key may be used. */
import type { Grant, KeyDigest } from "@petstore/access/ApiKey"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Reply from "./Reply.ts"

const window = 60_000

/** Allows each key this many requests a minute; a key's minute begins with its first request. */
export const make = (
  perMinute: number | undefined,
  clock: Clock.Clock
): (<A>(
  key: Grant,
  next: () => Effect.Effect<A, Reply.Reply>
) => Effect.Effect<A, Reply.Reply>) => {
  if (perMinute === undefined) return (_, next) => next()
  const windows = new Map<KeyDigest, { readonly start: number; used: number }>()
  return (key, next) => {
    // Monotonic: setting the wall clock neither extends nor ends a minute.
    const now = Number(clock.unsafeCurrentTimeNanos() / 1_000_000n)
    const current = windows.get(key.digest)
    if (current === undefined || now >= current.start + window) {
      windows.set(key.digest, { start: now, used: 1 })
      return next()
    }
    if (current.used++ < perMinute) return next()
    const wait = Math.ceil((current.start + window - now) / 1000)
    return Effect.fail(
      Reply.refuse("rate_limited", `at most ${perMinute} requests a minute; wait ${wait} s`, {
        "Retry-After": String(wait)
      })
    )
  }
}
