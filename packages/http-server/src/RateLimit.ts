/** How often a key may be used. */
import type { Grant, KeyDigest } from "@petstore/domain/ApiKey"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Reply from "./Reply.ts"

const window = 60_000

/** Lets each key through so many times in a minute, which begins with its first use. */
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
    const now = clock.unsafeCurrentTimeMillis()
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
