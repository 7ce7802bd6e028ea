/** Limits how often each key may be used. */
import type { Grant, KeyDigest } from "@petstore/access/ApiKey"
import type * as Clock from "effect/Clock"
import * as Reply from "./Reply.ts"

const window = 60_000

/**
 * Allows each key this many requests a minute, and gives the answer to any more. A key's minute begins
 * with its first request.
 */
export const make = (
  perMinute: number | undefined,
  clock: Clock.Clock
): ((key: Grant) => Reply.Reply | undefined) => {
  if (perMinute === undefined) return () => undefined
  const windows = new Map<KeyDigest, { readonly start: number; used: number }>()
  return ({ digest }) => {
    // Monotonic: setting the wall clock neither extends nor ends a minute.
    const now = Number(clock.unsafeCurrentTimeNanos() / 1_000_000n)
    const current = windows.get(digest)
    if (current === undefined || now >= current.start + window) {
      windows.set(digest, { start: now, used: 1 })
      return undefined
    }
    if (current.used++ < perMinute) return undefined
    const wait = Math.ceil((current.start + window - now) / 1000)
    const message = `at most ${perMinute} requests a minute; wait ${wait} s`
    return Reply.refuse("rate_limited", message, ["Retry-After", String(wait)])
  }
}
