/** Limits how often each key may be used, and how often each address may send a wrong one. */

import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import type { Caller } from "../../Authentication.ts"
import * as ClientAddress from "../../ClientAddress.ts"
import type { Exchange } from "../exchange/Exchange.ts"
import * as Reply from "../exchange/Reply.ts"

/** How many requests each window of time may have. */
export interface Limit {
  readonly count: number
  readonly window: Duration.Duration
}

/** What is limited, and for whom. */
export interface Options {
  /** How often each key may be used, and how often each address may send a wrong one; unlimited if absent. */
  readonly rateLimit?: Limit | undefined
  /** How many proxies in front of the service are trusted to name the caller's address. */
  readonly trustedHops: number
}

/**
 * Counts requests, if there is a limit, and returns the answer to one past it. Adds the fields of the IETF's draft to
 * the answer, whatever it is.
 */
export const make = ({ rateLimit, trustedHops }: Options, clock: Clock.Clock) => {
  if (rateLimit === undefined) return () => undefined
  const countKey = counter("key", rateLimit, clock)
  const countAddress = counter("address", rateLimit, clock)
  const addressOf = ClientAddress.make(trustedHops)
  return (exchange: Exchange, caller?: Caller): Reply.Reply | undefined => {
    const { keyRefusal } = exchange.notes
    // A request without a key, or with one that is known, guesses nothing.
    if (keyRefusal === "missing" || keyRefusal === "outdated") return undefined
    const name = caller?.digest ?? ClientAddress.networkOf(addressOf(exchange))
    const { headers, refusal } = caller === undefined ? countAddress(name) : countKey(name)
    // Callers with wrong keys are not told how many attempts are left.
    if (caller !== undefined || refusal !== undefined) {
      exchange.headers = [...exchange.headers, ...headers]
    }
    return refusal
  }
}

/** How many windows are kept at least; of twice as many, those that are not used are forgotten. */
const minWindows = 50_000

/** Counts requests by name. A window begins with its first request. */
const counter = (policy: string, { count, window }: Limit, clock: Clock.Clock) => {
  const millis = Duration.toMillis(window)
  const seconds = Math.ceil(millis / 1000)
  type Windows = Map<string, { start: number; used: number }>
  let windows: Windows = new Map()
  let older: Windows = new Map()

  const find = (name: string, start: number) => {
    const known = windows.get(name)
    if (known !== undefined) return known
    if (windows.size >= minWindows) {
      older = windows
      windows = new Map()
    }
    const found = older.get(name) ?? { start, used: 0 }
    windows.set(name, found)
    return found
  }

  return (name: string) => {
    // Monotonic: setting the wall clock neither extends nor ends a window.
    const now = Number(clock.unsafeCurrentTimeNanos() / 1_000_000n)
    const current = find(name, now)
    if (now >= current.start + millis) Object.assign(current, { start: now, used: 0 })
    const left = count - ++current.used
    const wait = Math.ceil((current.start + millis - now) / 1000)
    const headers: Reply.Headers = [
      ["RateLimit-Policy", `"${policy}";q=${count};w=${seconds}`],
      ["RateLimit", `"${policy}";r=${Math.max(left, 0)};t=${wait}`]
    ]
    if (left >= 0) return { headers, refusal: undefined }
    const message = `at most ${count} requests in ${seconds} s; wait ${wait} s`
    const refusal = Reply.refuse("rate_limited", message, [["Retry-After", String(wait)]])
    return { headers, refusal }
  }
}
