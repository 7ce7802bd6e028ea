/** A call with Effect: tries, waits, the timeout and the span. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Schedule from "effect/Schedule"
import type * as Tracer from "effect/Tracer"
import { InvalidInput, isPetStoreError, type PetStoreError, TimedOut } from "../Errors.ts"
import { errorOf, type OperationError, type OperationName } from "../OperationError.ts"
import type { CallLimits, RequestDetails, RequestOptions } from "../Options.ts"
import { send } from "./Exchange.ts"
import type { Operation } from "./Operations.ts"
import { mayPass, waitAfter } from "./Retry.ts"
import { limitsOf, type Settings } from "./Settings.ts"

/** The options of a call; interrupting it aborts its request. */
export interface CallOptions extends RequestOptions, Pick<CallLimits, "retries"> {
  /** The time for the call, retries included, or for each page of a stream. */
  readonly timeout?: Duration.DurationInput | undefined
  /** When to try again after a failure that may pass, instead of `retries` times with exponential backoff. */
  readonly schedule?: Schedule.Schedule<unknown, PetStoreError> | undefined
}

/** Sends an operation once. */
export type Exchange = <A>(
  settings: Settings,
  operation: Operation<A>,
  call: RequestOptions,
  attempt: number
) => Effect.Effect<A, PetStoreError>

/** Sends by `fetch`. */
export const byFetch: Exchange = (...exchange) => fromPromise((signal) => send(...exchange, signal))

/** Calls the service, again if the failure may pass, until the time is over. */
export const call = <A, Name extends OperationName>(
  settings: Settings,
  exchange: Exchange,
  makeOperation: () => Operation<A, Name>,
  options: CallOptions = {}
): Effect.Effect<A, OperationError<Name>> =>
  Effect.gen(function* () {
    const operation = yield* fromChecked(makeOperation)
    const { retries, timeout } = yield* fromChecked(() => limitsOf(inMillis(options), settings))
    const end = (yield* Clock.currentTimeMillis) + timeout
    let attempt = 0
    let last: OperationError<Name> | undefined
    const once = (span: Tracer.Span) => {
      const headers = { traceparent: traceParentOf(span), ...options.headers }
      const onResponse = (response: Response, request: RequestDetails) => {
        span.attribute("http.response.status_code", response.status)
        return options.onResponse?.(response, request)
      }
      return Effect.suspend(() =>
        exchange(settings, operation, { headers, onResponse }, ++attempt)
      ).pipe(
        Effect.mapError((error) => {
          last = errorOf(operation.name, error)
          return last
        })
      )
    }
    const schedule = (options.schedule ?? backoff(retries, end)).pipe(
      Schedule.whileInput(mayPass),
      Schedule.zipRight(Schedule.identity<PetStoreError>()),
      Schedule.modifyDelayEffect((error, wait) =>
        Effect.promise(async () => {
          const delay = Duration.toMillis(wait)
          await settings.onRetry?.({ operation: operation.name, attempt, error, delay })
          return wait
        })
      )
    )
    return yield* Effect.useSpan(
      `PetStoreClient.${operation.name}`,
      { kind: "client", attributes: { "url.full": settings.baseUrl + operation.path } },
      (span) =>
        once(span).pipe(
          Effect.retry(schedule),
          Effect.timeoutFail({
            duration: timeout,
            onTimeout: () => new TimedOut(`no answer within ${timeout} ms`, { cause: last })
          })
        )
    )
  })

/** What a promise resolves to; fails with an error of the client, and dies of any other. */
export const fromPromise = <A>(
  evaluate: (signal: AbortSignal) => Promise<A>
): Effect.Effect<A, PetStoreError> =>
  Effect.catchAll(Effect.tryPromise(evaluate), ({ error }) =>
    isPetStoreError(error) ? Effect.fail(error) : Effect.die(error)
  )

/** The same options with the time in milliseconds. */
export const inMillis = <A extends Pick<CallOptions, "timeout">>({ timeout, ...options }: A) => ({
  ...options,
  timeout: timeout === undefined ? undefined : Duration.toMillis(timeout)
})

/** Recurs so often, as long as the end is not reached. */
const backoff = (retries: number, end: number) =>
  Schedule.recurs(retries).pipe(
    Schedule.intersect(Schedule.identity<PetStoreError>()),
    Schedule.mapEffect(([failures, error]) =>
      Effect.map(Random.next, (random) => waitAfter(error, failures + 1, random))
    ),
    Schedule.whileOutputEffect((delay) =>
      Effect.map(Clock.currentTimeMillis, (now) => now + delay < end)
    ),
    Schedule.addDelay((delay) => delay)
  )

/** The header by which the service continues the trace (W3C). */
const traceParentOf = ({ sampled, spanId, traceId }: Tracer.Span): string =>
  `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`

/** What a function returns, unless an input is invalid. */
export const fromChecked = <A>(evaluate: () => A): Effect.Effect<A, InvalidInput> =>
  Effect.catchAll(Effect.try(evaluate), ({ error }) =>
    error instanceof InvalidInput ? Effect.fail(error) : Effect.die(error)
  )
