/** The HTTP client that sends traces to a collector. */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Schedule from "effect/Schedule"

const maxAtOnce = 4
const shutdownTimeout = "2 seconds"
const retries = Schedule.exponential("500 millis").pipe(Schedule.intersect(Schedule.recurs(2)))

/**
 * A client that drops what a collector does not accept, after two retries, and warns once for each time that
 * it stops accepting. It never fails: the exporter would then keep what it cannot send. The exporter interrupts
 * what is being sent when it stops; here that has some more time.
 */
export const make = (timeout: Duration.Duration) =>
  Effect.gen(function* () {
    const client = yield* HttpClient.HttpClient
    const exports = yield* FiberSet.make()
    yield* Effect.addFinalizer(() =>
      FiberSet.awaitEmpty(exports).pipe(Effect.interruptible, Effect.timeoutOption(shutdownTimeout))
    )
    let running = 0
    let isFailing = false

    const send = (request: Parameters<typeof client.execute>[0]) =>
      HttpClient.filterStatusOk(client)
        .execute(request)
        .pipe(
          Effect.tap((response) => response.text),
          Effect.scoped,
          Effect.timeout(timeout),
          Effect.retry(retries),
          Effect.matchCauseEffect({
            onSuccess: () =>
              Effect.sync(() => {
                isFailing = false
              }),
            onFailure: (cause) =>
              Effect.suspend(() => {
                const isNew = !isFailing
                isFailing = true
                return isNew
                  ? Effect.logWarning("cannot export traces; they are lost", cause)
                  : Effect.void
              })
          }),
          Effect.as(HttpClientResponse.fromWeb(request, new Response()))
        )

    return {
      /** Whether exports take longer than traces to arise; then new ones should not be made. */
      isBehind: () => running >= maxAtOnce,
      client: HttpClient.make((request) =>
        Effect.acquireUseRelease(
          Effect.sync(() => running++),
          () => send(request),
          () => Effect.sync(() => running--)
        ).pipe((sending) => FiberSet.run(exports, sending), Effect.flatMap(Fiber.join))
      )
    }
  }).pipe(Effect.provide(FetchHttpClient.layer))
