/** The HTTP client that sends traces to a collector. */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Iterable from "effect/Iterable"
import * as Ref from "effect/Ref"
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
    const client = HttpClient.filterStatusOk(yield* HttpClient.HttpClient)
    const exports = yield* FiberSet.make()
    yield* Effect.addFinalizer(() =>
      FiberSet.awaitEmpty(exports).pipe(Effect.interruptible, Effect.timeoutOption(shutdownTimeout))
    )
    const isFailing = yield* Ref.make(false)

    const send = (request: Parameters<typeof client.execute>[0]) =>
      client.execute(request).pipe(
        Effect.tap((response) => response.text),
        Effect.scoped,
        Effect.timeout(timeout),
        Effect.retry(retries),
        Effect.matchCauseEffect({
          onSuccess: () => Ref.set(isFailing, false),
          onFailure: (cause) =>
            Effect.logWarning("cannot export traces; they are lost", cause).pipe(
              Effect.unlessEffect(Ref.getAndSet(isFailing, true))
            )
        }),
        Effect.as(HttpClientResponse.fromWeb(request, new Response()))
      )

    return {
      /** Whether exports take longer than traces to arise; then new ones should not be made. */
      isBehind: () => Iterable.size(exports) >= maxAtOnce,
      client: HttpClient.make((request) =>
        Effect.flatMap(FiberSet.run(exports, send(request)), Fiber.join)
      )
    }
  }).pipe(Effect.provide(FetchHttpClient.layer))
