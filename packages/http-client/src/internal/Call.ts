/** A call: tries, waits and the timeout. Both forms of the client are made of it. */
import { TimedOut } from "../Errors.ts"
import { type Failure, isFailure } from "../Failure.ts"
import type { CallOptions } from "../Options.ts"
import { byStatus } from "./Answer.ts"
import { send } from "./Exchange.ts"
import type { Operation } from "./Operation.ts"
import { limitsOf, type Settings } from "./Settings.ts"

/** How time passes. */
export interface Timing {
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  /** Calls a function after this many milliseconds, unless what it returns is called before. */
  readonly after: (millis: number, run: () => void) => () => void
  /** The milliseconds until the next try after this many failures that may pass. */
  readonly delayAfter: (
    error: Failure<string>,
    failures: number,
    retries: number
  ) => number | Promise<number>
}

/** Calls the service, again if the failure may pass, until the time is over or the caller aborts. */
export const call = async <A>(
  { after, delayAfter, now }: Timing,
  client: Settings,
  makeOperation: () => Operation<A>,
  options: CallOptions = {}
): Promise<A> => {
  const settings = { ...client, ...limitsOf(options, client) }
  const operation = makeOperation()
  const { timeout } = settings
  const { signal } = options
  signal?.throwIfAborted()
  const end = now() + timeout
  const controller = new AbortController()
  const stop = controller.signal
  const abort = () => controller.abort(signal?.reason)
  signal?.addEventListener("abort", abort)
  let last: unknown
  let cancelWait: (() => void) | undefined
  const cancelTimeout = after(timeout, () =>
    controller.abort(new TimedOut(`no answer within ${timeout} ms`, { cause: last }))
  )
  const tryFrom = async (attempt: number): Promise<A> => {
    try {
      return await send(settings, operation, options, attempt, stop)
    } catch (error) {
      if (!isFailure(error) || !mayPass(error)) throw error
      const delay = await delayAfter(error, attempt, settings.retries)
      if (now() + delay >= end) throw error
      stop.throwIfAborted()
      last = error
      const waited = new Promise<void>((resolve) => {
        cancelWait = after(delay, resolve)
      })
      const told = settings.onRetry?.({ operation: operation.name, attempt, error, delay })
      await Promise.all([waited, told])
      return tryFrom(attempt + 1)
    }
  }
  try {
    // A `fetch` may ignore its signal.
    return await Promise.race([
      tryFrom(1),
      new Promise<never>((_, reject) => {
        stop.addEventListener("abort", () => reject(stop.reason))
      })
    ])
  } finally {
    cancelTimeout()
    cancelWait?.()
    signal?.removeEventListener("abort", abort)
  }
}

/** Whether the failure may pass by itself. Repeating does no harm: what adds has an idempotency key. */
const mayPass = ({ code, status }: Failure<string>): boolean =>
  code === "network_failure" || byStatus(status) !== undefined

/**
 * The milliseconds to wait after this many failed tries: at random up to a limit that doubles, from half a second to
 * eight (full jitter), after the time that the service asks for. For ever, if there were as many retries as allowed.
 */
export const waitAfter = (
  { retryAfter = 0 }: Failure<string>,
  failures: number,
  retries: number,
  random: number
): number =>
  failures > retries ? Infinity : retryAfter * 1000 + random * Math.min(250 * 2 ** failures, 8000)
