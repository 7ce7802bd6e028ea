/** A call with promises: tries, waits and the timeout. */
import { isPetStoreError, TimedOut } from "../Errors.ts"
import type { CallOptions } from "../Options.ts"
import { send } from "./Exchange.ts"
import type { Operation } from "./Operations.ts"
import { mayPass, waitAfter } from "./Retry.ts"
import { limitsOf, type Settings } from "./Settings.ts"

/** Calls the service, again if the failure may pass, until the time is over or the caller aborts. */
export const call = async <A>(
  settings: Settings,
  makeOperation: () => Operation<A>,
  options: CallOptions = {}
): Promise<A> => {
  const { retries, timeout } = limitsOf(options, settings)
  const operation = makeOperation()
  const { signal } = options
  signal?.throwIfAborted()
  const end = Date.now() + timeout
  const controller = new AbortController()
  const abort = () => controller.abort(signal?.reason)
  signal?.addEventListener("abort", abort)
  // A `fetch` may ignore its signal.
  const aborted = new Promise<never>((_, reject) => {
    controller.signal.addEventListener("abort", () => reject(controller.signal.reason))
  })
  let pause: ReturnType<typeof setTimeout> | undefined
  let last: unknown
  const timer = setTimeout(
    () => controller.abort(new TimedOut(`no answer within ${timeout} ms`, { cause: last })),
    timeout
  )
  try {
    for (let attempt = 1; ; attempt++) {
      try {
        return await Promise.race([
          send(settings, operation, options, attempt, controller.signal),
          aborted
        ])
      } catch (error) {
        if (attempt > retries || !isPetStoreError(error) || !mayPass(error)) throw error
        const delay = waitAfter(error, attempt, Math.random())
        if (Date.now() + delay >= end) throw error
        last = error
        const waited = new Promise((resolve) => {
          pause = setTimeout(resolve, delay)
        })
        const told = settings.onRetry?.({ operation: operation.name, attempt, error, delay })
        await Promise.race([Promise.all([waited, told]), aborted])
      }
    }
  } finally {
    clearTimeout(timer)
    clearTimeout(pause)
    signal?.removeEventListener("abort", abort)
  }
}
