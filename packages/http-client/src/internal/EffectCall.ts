/** A call with Effect: tries, waits, the timeout and the span. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Schedule from "effect/Schedule"
import * as ScheduleDecision from "effect/ScheduleDecision"
import * as ScheduleInterval from "effect/ScheduleInterval"
import type * as Tracer from "effect/Tracer"
import { InvalidInput, isPetStoreError, type PetStoreError, TimedOut } from "../Errors.ts"
import type { RequestOptions } from "../Options.ts"
import { send } from "./Exchange.ts"
import type { Operation } from "./Operations.ts"
import { mayPass, waitAfter } from "./Retry.ts"
import { type Limits, limitsOf, type Settings } from "./Settings.ts"

/** The options of a call; interrupting it aborts its request. */
export interface CallOptions extends RequestOptions {
  /** The time for the call, retries included, or for each page of a stream. */
  readonly timeout?: Duration.DurationInput | undefined
  /** How often to try again after a failure that may pass. */
  readonly retries?: number | undefined
  /** When to try again after such a failure, instead of `retries` times with exponential backoff. */
  readonly schedule?: Schedule.Schedule<unknown, PetStoreError> | undefined
}

/** Calls the service, again if the failure may pass, until the time is over. */
export const call = <A>(
  settings: Settings,
  makeOperation: () => Operation<A>,
  { timeout, ...options }: CallOptions = {}
): Effect.Effect<A, PetStoreError> =>
  fromChecked(() => ({
    operation: makeOperation(),
    limits: limitsOf(
      { ...options, ...(timeout !== undefined && { timeout: Duration.toMillis(timeout) }) },
      settings
    )
  })).pipe(
    Effect.flatMap(({ limits, operation }) =>
      Effect.useSpan(
        `PetStoreClient.${operation.name}`,
        { kind: "client", attributes: { "url.full": settings.baseUrl + operation.path } },
        (span) => run(settings, operation, options, limits, span)
      )
    )
  )

const run = <A>(
  settings: Settings,
  operation: Operation<A>,
  options: CallOptions,
  { retries, timeout }: Limits,
  span: Tracer.Span
) =>
  Effect.flatMap(Clock.currentTimeMillis, (start) => {
    let last: PetStoreError | undefined
    const headers = { traceparent: traceParentOf(span), ...options.headers }
    const onResponse = (response: Response) => {
      span.attribute("http.response.status_code", response.status)
      options.onResponse?.(response)
    }
    const once = Effect.tryPromise({
      try: (signal) => send(settings, operation, { headers, onResponse }, signal),
      catch: (error) => error
    }).pipe(
      Effect.catchAll((error) => (isPetStoreError(error) ? Effect.fail(error) : Effect.die(error))),
      Effect.tapError((error) =>
        Effect.sync(() => {
          last = error
        })
      )
    )
    return once.pipe(
      Effect.retry({
        while: mayPass,
        schedule: options.schedule ?? backoff(retries, start + timeout)
      }),
      Effect.timeoutFail({
        duration: timeout,
        onTimeout: () => new TimedOut(`no answer within ${timeout} ms`, { cause: last })
      })
    )
  })

/** Recurs so often, as long as the end is not reached. */
const backoff = (retries: number, end: number): Schedule.Schedule<number, PetStoreError> =>
  Schedule.makeWithState(1, (now, error: PetStoreError, failures) =>
    Effect.map(Random.next, (random) => {
      const next = now + waitAfter(error, failures, random)
      const decision =
        failures > retries || next >= end
          ? ScheduleDecision.done
          : ScheduleDecision.continueWith(ScheduleInterval.after(next))
      return [failures + 1, failures, decision]
    })
  )

/** The header by which the service continues the trace (W3C). */
const traceParentOf = ({ sampled, spanId, traceId }: Tracer.Span): string =>
  `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`

/** What a function returns, unless an input is invalid. */
export const fromChecked = <A>(evaluate: () => A): Effect.Effect<A, InvalidInput> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(evaluate())
    } catch (error) {
      if (error instanceof InvalidInput) return Effect.fail(error)
      throw error
    }
  })
