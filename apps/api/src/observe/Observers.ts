/** What observes the service: the log of requests, and metrics and traces if they are configured. */

import type { ApiKeyStore } from "@petstore/access/ApiKeyStore"
import * as Port from "@petstore/kernel/Port"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import type { AppConfig } from "../settings/AppConfig.ts"
import * as AccessLog from "./AccessLog.ts"
import * as KeyLog from "./KeyLog.ts"
import * as Log from "./Log.ts"
import * as Outages from "./Outages.ts"

export class Observers extends Context.Tag("@petstore/api/Observers")<
  Observers,
  Effect.Effect.Success<ReturnType<typeof make>>
>() {}

/** Observes as it is configured. What is off is not loaded. */
export const layer = (config: AppConfig) => Layer.scoped(Observers, make(config))

const make = (config: AppConfig) =>
  Effect.gen(function* () {
    const log = yield* Log.Log
    const { host, metricsPort: port } = config
    const outages = yield* Outages.make(config, log.write)
    const metrics =
      port === undefined
        ? undefined
        : (yield* Effect.promise(() => import("./Metrics.ts"))).make({ host, port })
    const url = tracesUrl(config)
    const traces =
      url === undefined
        ? undefined
        : yield* (yield* Effect.promise(() => import("./Tracing.ts"))).make(config, url, log.mask)
    /** Observes every method of the port of this name. Without decorators it is used as it is, which costs nothing. */
    const observe =
      (...decoratorsOf: ReadonlyArray<((port: string) => Port.Decorator) | undefined>) =>
      <P extends Port.Methods<P>>(name: string, port: P): P =>
        decoratorsOf
          .filter(Predicate.isNotUndefined)
          .reduce((observed, of) => Port.decorate(observed, of(name)), port)
    return {
      observers: [
        AccessLog.make(config, log, yield* Effect.clock),
        outages.observer,
        metrics?.observer,
        traces?.observer
      ].filter(Predicate.isNotUndefined),
      /** Logs the outages of the store of keys, and changes of keys. */
      observeKeyStore: (store: ApiKeyStore["Type"]) => outages.watch(KeyLog.watch(store)),
      /** Traces every method of use cases. */
      observeUseCases: observe(traces?.decorator),
      /** Measures and traces every method of a store. */
      observeStore: observe(metrics && (() => metrics.decorator), traces?.decorator),
      storeEvents: metrics?.storeEvents,
      serveMetrics: metrics?.serve ?? Effect.void,
      /** Measures the keys. */
      observeKeys: metrics?.watchKeys ?? (() => {})
    }
  })

/** Where traces go, if anywhere. */
const tracesUrl = (config: AppConfig): string | undefined => {
  const { isTelemetryDisabled, otlpEndpoint, otlpTracesEndpoint, traceExporter } = config
  if (isTelemetryDisabled || traceExporter === "none") return undefined
  return otlpTracesEndpoint ?? otlpEndpoint?.replace(/\/?$/, "/v1/traces")
}
