/** A call with Effect, on the one with promises: its clock, its interruption, its schedule and its span. */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Random from "effect/Random"
import * as Runtime from "effect/Runtime"
import * as RuntimeFlags from "effect/RuntimeFlags"
import type * as Schedule from "effect/Schedule"
import * as ScheduleDecision from "effect/ScheduleDecision"
import * as ScheduleIntervals from "effect/ScheduleIntervals"
import type * as Tracer from "effect/Tracer"
import { InvalidInput } from "../Errors.ts"
import { ClientError, type Failure } from "../Failure.ts"
import type { CallLimits, RequestOptions } from "../Options.ts"
import * as Call from "./Call.ts"
import type { Operation } from "./Operation.ts"
import type { Settings } from "./Settings.ts"

/** The options of a call; interrupting it aborts its request. */
export interface CallOptions extends RequestOptions, Omit<CallLimits, "timeout"> {
  /** The time for the call, retries included, or for each page of a stream. */
  readonly timeout?: Duration.DurationInput | undefined
  /** When to try again after a failure that may pass, instead of `retries` times with exponential backoff. */
  readonly schedule?: Schedule.Schedule<unknown, Failure<string>> | undefined
}

/** The settings that run Effects, made of the runtime of each call. */
export type Running = (runtime: Runtime.Runtime<never>) => Partial<Settings>

/** Calls the service, again if the failure may pass, until the time is over. */
export const call = <A>(
  client: string,
  settings: Settings,
  running: Running,
  makeOperation: () => Operation<A>,
  { schedule, ...options }: CallOptions = {}
): Effect.Effect<A, Failure<string>> =>
  Effect.gen(function* () {
    const operation = yield* fromChecked(makeOperation)
    // Timers and requests must end with the call, even if the caller cannot be interrupted.
    const runtime = Runtime.enableRuntimeFlag(
      yield* Effect.runtime<never>(),
      RuntimeFlags.Interruption
    )
    return yield* Effect.useSpan(
      `${client}.${operation.name}`,
      { kind: "client", attributes: { "url.full": settings.baseUrl + operation.path } },
      (span) =>
        fromPromise((signal) => {
          const headers = { traceparent: traceParentOf(span), ...options.headers }
          const onResponse: RequestOptions["onResponse"] = (response, request) => {
            span.attribute("http.response.status_code", response.status)
            return options.onResponse?.(response, request)
          }
          const timing = timingOf(runtime, schedule)
          const given = { ...inMillis(options), headers, onResponse, signal }
          return Call.call(timing, { ...settings, ...running(runtime) }, () => operation, given)
        })
    ).pipe(Effect.map(({ data }) => data))
  })

const timingOf = (
  runtime: Runtime.Runtime<never>,
  schedule: CallOptions["schedule"]
): Call.Timing => ({
  // Setting the wall clock neither ends nor extends a call.
  now: () => Number(Runtime.runSync(runtime)(Clock.currentTimeNanos)) / 1e6,
  after: (millis, run) =>
    Runtime.runCallback(runtime)(Effect.zipRight(Effect.sleep(millis), Effect.sync(run))),
  delayAfter: schedule
    ? delaysOf(runtime, schedule)
    : (...failure) => Call.waitAfter(...failure, Runtime.runSync(runtime)(Random.next))
})

/** The delays of a schedule, as `Effect.retry` would wait. */
const delaysOf = (
  runtime: Runtime.Runtime<never>,
  { initial, step }: Schedule.Schedule<unknown, Failure<string>>
): Call.Timing["delayAfter"] => {
  let state = initial
  return (error) =>
    run(
      runtime,
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const [next, , decision] = yield* step(now, error, state)
        state = next
        if (ScheduleDecision.isDone(decision)) return Number.POSITIVE_INFINITY
        return Math.max(ScheduleIntervals.start(decision.intervals) - now, 0)
      })
    )
}

/** Runs an effect for a promise, which rejects with its error or its defect. */
export const run = async <A, E>(
  runtime: Runtime.Runtime<never>,
  effect: Effect.Effect<A, E>,
  signal?: AbortSignal
): Promise<A> => {
  const exit = await Runtime.runPromiseExit(runtime)(effect, signal && { signal })
  if (Exit.isFailure(exit)) throw Cause.squash(exit.cause)
  return exit.value
}

/** What a promise resolves to; fails with an error of the client, and dies of any other. */
const fromPromise = <A>(
  evaluate: (signal: AbortSignal) => Promise<A>
): Effect.Effect<A, Failure<string>> =>
  Effect.catchAll(Effect.tryPromise(evaluate), ({ error }) =>
    error instanceof ClientError ? Effect.fail(error) : Effect.die(error)
  )

/** The same options with the time in milliseconds. */
export const inMillis = <A extends Pick<CallOptions, "timeout">>({ timeout, ...options }: A) => ({
  ...options,
  timeout: timeout === undefined ? undefined : Duration.toMillis(timeout)
})

/** The header by which the service continues the trace (W3C). */
const traceParentOf = ({ sampled, spanId, traceId }: Tracer.Span): string =>
  `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`

/** What a function returns, unless an input is invalid. */
export const fromChecked = <A>(evaluate: () => A): Effect.Effect<A, InvalidInput> =>
  Effect.catchAll(Effect.try(evaluate), ({ error }) =>
    error instanceof InvalidInput ? Effect.fail(error) : Effect.die(error)
  )
