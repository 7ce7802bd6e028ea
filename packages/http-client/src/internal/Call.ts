/** A call: tries, waits and the timeout. */
import { ClientError, type Failure, fail } from "../Failure.ts"
import type { Answered, CallOptions } from "../Options.ts"
import { byStatus } from "./Answer.ts"
import { send } from "./Exchange.ts"
import type { Operation } from "./Operation.ts"
import { limitsOf, type Settings, token } from "./Settings.ts"

/** Calls the service, again if the failure may pass, until the time is over or the caller aborts. */
export const call = async <A>(
  client: Settings,
  makeOperation: () => Operation<A>,
  options: CallOptions = {}
): Promise<Answered<A>> => {
  const settings = { ...client, ...limitsOf(options) }
  const operation = makeOperation()
  const { apiKey, timeout } = settings
  const { signal } = options
  signal?.throwIfAborted()
  const end = performance.now() + timeout
  const controller = new AbortController()
  const stop = controller.signal
  const abort = () => controller.abort(signal?.reason)
  signal?.addEventListener("abort", abort)
  let last: { readonly cause: unknown } | undefined
  let wait: ReturnType<typeof setTimeout> | undefined
  const timer = setTimeout(
    () => controller.abort(fail("timed_out", `no answer within ${timeout} ms`, last)),
    timeout
  )
  const tryFrom = async (attempt: number, key: string): Promise<Answered<A>> => {
    try {
      return await send({ ...settings, apiKey: key }, operation, options, attempt, stop)
    } catch (error) {
      if (!(error instanceof ClientError) || !mayRepeat(error, operation)) throw error
      const delay = waitAfter(error, attempt, settings.retries)
      if (performance.now() + delay >= end) throw error
      stop.throwIfAborted()
      last = { cause: error }
      const waited = new Promise<void>((resolve) => {
        wait = setTimeout(resolve, delay)
      })
      await settings.onRetry?.({ operation: operation.name, attempt, error, delay })
      await waited
      return tryFrom(attempt + 1, key)
    }
  }
  /** One key for all tries: the service keeps idempotency keys by it. */
  const start = async () =>
    tryFrom(1, token("apiKey", typeof apiKey === "function" ? await apiKey() : apiKey))
  try {
    // A `fetch` may ignore its signal.
    return await Promise.race([
      start(),
      new Promise<never>((_, reject) => {
        stop.addEventListener("abort", () => reject(stop.reason))
      })
    ])
  } finally {
    clearTimeout(timer)
    clearTimeout(wait)
    signal?.removeEventListener("abort", abort)
  }
}

/** Whether the failure may pass by itself, and repeating does no harm: what adds must have an idempotency key. */
const mayRepeat = (
  { code, status }: Failure<string>,
  { idempotencyKey, method = "GET" }: Operation<unknown>
): boolean =>
  (code === "network_failure" || byStatus(status) !== undefined) &&
  (Boolean(idempotencyKey) || !/POST|PATCH/.test(method))

/**
 * The milliseconds to wait after this many failed tries: at random up to a limit that doubles, from half a second to
 * eight (full jitter), after the time that the service asks for. For ever, if there were as many retries as allowed.
 */
export const waitAfter = (
  { retryAfter = 0 }: Failure<string>,
  failures: number,
  retries: number,
  random = Math.random()
): number =>
  failures > retries ? Infinity : retryAfter * 1000 + random * Math.min(250 * 2 ** failures, 8000)
