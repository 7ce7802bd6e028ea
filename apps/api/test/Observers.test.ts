import type { ServerResponse } from "node:http"
import { describe, expect, scoped } from "@effect/vitest"
import * as Port from "@petstore/kernel/Port"
import { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import { Duration, Effect, Tracer } from "effect"
import * as Collector from "../src/observe/Collector.ts"
import * as Metrics from "../src/observe/Metrics.ts"
import * as Tracing from "../src/observe/Tracing.ts"
import { live } from "./support/Folder.ts"
import { until } from "./support/Observed.ts"
import { stranger } from "./support/Service.ts"

/** A port; `remove` is a method that was added to it. */
interface Shelf {
  readonly see: (name: string) => Effect.Effect<string, StoreUnavailable>
  readonly remove: (
    name: string
  ) => Effect.Effect<void, { readonly _tag: "ShelfNotFound" | "ShelfFixed" }>
}
const shelf: Shelf = {
  see: (name) => (name === "a" ? Effect.succeed(name) : new StoreUnavailable({ reason: "down" })),
  remove: (name) =>
    name === "a"
      ? Effect.void
      : Effect.fail({ _tag: name === "b" ? "ShelfNotFound" : "ShelfFixed" })
}

const use = ({ remove, see }: Shelf) =>
  Effect.all([remove("a"), remove("b"), remove("c"), see("a"), see("b")], { mode: "either" })

scoped("a thousand keys have a series each, and further ones share one", () =>
  Effect.gen(function* () {
    const { observer, registry } = Metrics.make(address)
    const answer = (keyId: string) =>
      observer.onAnswer?.({ notes: { keyId }, request: {}, startedAt: 0 } as never, {
        status: 200,
        headers: []
      })
    for (let nth = 0; nth < 1003; nth++) answer(`key${nth}`)
    answer("key7")
    const counts = yield* Effect.promise(async () =>
      registry.getSingleMetric("petstore_key_requests_total")?.get()
    )
    const of = (id: string) => counts?.values.find(({ labels }) => labels["key_id"] === id)?.value
    expect([counts?.values.length, of("key7"), of("other")]).toEqual([1001, 2, 3])
  })
)

describe("a method that is added to a port", () => {
  scoped("is measured, beside the size of each batch", () =>
    Effect.gen(function* () {
      const { decorator, registry, storeEvents } = Metrics.make(address)
      yield* use(Port.decorate(shelf, decorator))
      storeEvents.onBatch(3)
      const text = yield* Effect.promise(async () => registry.metrics())
      for (const [operation, result] of [
        ["remove", "success"],
        ["remove", "not_found"],
        ["remove", "refused"],
        ["see", "success"],
        ["see", "failure"]
      ]) {
        const labels = `operation="${operation}",result="${result}"`
        expect(text).toContain(`petstore_store_duration_seconds_count{${labels}} 1`)
      }
      expect(text).toMatch(/_batch_size_bucket\{le="2"\} 0\n.*_bucket\{le="4"\} 1\n/)
      expect(text).toContain("petstore_store_batch_size_sum 3\n")
    })
  )

  scoped("is traced; only an unavailable store is an error of its span", () =>
    Effect.gen(function* () {
      const { decorator } = yield* Tracing.make(options, "http://127.0.0.1:1", (text) => text)
      const native = yield* Effect.tracer
      const spans: Array<Tracer.Span> = []
      const tracer = Tracer.make({
        context: native.context,
        span: (...about) => {
          const span = native.span(...about)
          spans.push(span)
          return span
        }
      })
      yield* use(Port.decorate(shelf, decorator("Shelf"))).pipe(Effect.withTracer(tracer))
      const outcomes = spans.map(({ name, status }) => [
        name,
        status._tag === "Ended" && status.exit._tag
      ])
      expect(outcomes).toEqual([
        ["Shelf.remove", "Success"],
        ["Shelf.remove", "Success"],
        ["Shelf.remove", "Success"],
        ["Shelf.see", "Success"],
        ["Shelf.see", "Failure"]
      ])
    })
  )
})

live("a collector is behind while it has not answered four exports", function* () {
  const waiting: Array<ServerResponse> = []
  const url = yield* stranger((_, response) => waiting.push(response))
  const { client, isBehind } = yield* Collector.make(Duration.minutes(10))
  const seen = [isBehind()]
  for (let count = 1; count <= 4; count++) {
    yield* Effect.forkScoped(client.get(url))
    yield* until(
      Effect.sync(() => waiting.length),
      (length) => length === count
    )
    seen.push(isBehind())
  }
  expect(seen).toEqual([false, false, false, false, true])
  for (const response of waiting) response.end()
  yield* until(Effect.sync(isBehind), (isBehind) => !isBehind)
})

/** Nothing is served there. */
const address = { host: "127.0.0.1", port: 0 }

/** Of these nothing is sent: no request is traced. */
const options: Parameters<typeof Tracing.make>[0] = {
  sampler: "always_off",
  samplerRatio: 0,
  isTelemetryDisabled: false,
  traceExporter: "otlp",
  otlpEndpoint: undefined,
  otlpTracesEndpoint: undefined,
  otlpHeaders: undefined,
  otlpProtocol: "http/json",
  otlpTimeout: Duration.seconds(1),
  exportInterval: Duration.hours(1),
  serviceName: undefined,
  resourceAttributes: undefined,
  trustedHops: 0
}
