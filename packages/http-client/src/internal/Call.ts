/** A call with promises: tries, waits and the time-out. */
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
  const end = performance.now() + timeout
  const controller = new AbortController()
  const abort = () => controller.abort(signal?.reason)
  signal?.addEventListener("abort", abort)
  let last: unknown
  const timer = setTimeout(
    () => controller.abort(new TimedOut(`no answer within ${timeout} ms`, { cause: last })),
    timeout
  )
  try {
    for (let failures = 1; ; failures++) {
      try {
        return await send(settings, operation, options, controller.signal)
      } catch (error) {
        if (failures > retries || !isPetStoreError(error) || !mayPass(error)) throw error
        const wait = waitAfter(error, failures, Math.random())
        if (performance.now() + wait >= end) throw error
        last = error
        await sleep(wait, controller.signal)
      }
    }
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener("abort", abort)
  }
}

const sleep = (millis: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, millis)
    signal.addEventListener("abort", () => {
      clearTimeout(timer)
      reject(signal.reason)
    })
  })
