/** What observes the service: the log of requests, and metrics and traces if they are configured. */
import type { ApiKeyStore } from "@petstore/access/ApiKeyStore"
import type { ApiKeys } from "@petstore/access/ApiKeys"
import * as Port from "@petstore/domain/Port"
import * as ClientAddress from "@petstore/http-server/ClientAddress"
import type { HttpListener } from "@petstore/http-server/HttpListener"
import type { ListenFailed } from "@petstore/http-server/ListenFailed"
import * as MetricsListener from "@petstore/http-server/MetricsListener"
import type { Observer } from "@petstore/http-server/Observer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as LogLevel from "effect/LogLevel"
import * as Predicate from "effect/Predicate"
import type * as Scope from "effect/Scope"
import type { AppConfig } from "../AppConfig.ts"
import type { StoreEvents } from "../databases/Database.ts"
import type { Worker } from "../workers/Worker.ts"
import * as AccessLog from "./AccessLog.ts"
import * as Log from "./Log.ts"
import * as Outages from "./Outages.ts"

/** Observes every method of the port of this name. */
export type Observe = <P extends Port.Methods<P>>(
  name: string,
  port: P,
  writes: Port.Writes<P>
) => P

/** What observes the service. */
export class Observing extends Context.Tag("@petstore/api/Observing")<
  Observing,
  {
    readonly observers: ReadonlyArray<Observer>
    /** Use cases whose every method is traced. */
    readonly useCases: Observe
    /** A store whose every method is measured and traced. */
    readonly store: Observe
    readonly storeEvents: StoreEvents | undefined
    /** Serves metrics. */
    readonly serve: Effect.Effect<void, ListenFailed, HttpListener | Scope.Scope>
    /** A store of keys whose outages are logged. */
    readonly keyStore: (keys: ApiKeyStore["Type"]) => ApiKeyStore["Type"]
    /** Measures the keys. */
    readonly watchKeys: (keys: ApiKeys["Type"]) => void
  }
>() {}

/** Observes as it is configured. What is off is not loaded. */
export const layer = (config: AppConfig, worker: Worker | undefined) =>
  Layer.scoped(
    Observing,
    Effect.gen(function* () {
      const { mask, write } = yield* Log.Log
      const { host, logLevel, logRequests, metricsPort, trustedHops } = config
      const addressOf = ClientAddress.make(trustedHops)
      const which = LogLevel.lessThanEqual(logLevel, LogLevel.Info) ? logRequests : "none"
      const log = AccessLog.make({ addressOf, mask, which, write })
      const outages = yield* Outages.make(config, write)
      const metrics =
        metricsPort === undefined
          ? undefined
          : (yield* Effect.promise(() => import("./Metrics.ts"))).make(
              worker?.publish ??
                ((registry) =>
                  MetricsListener.serve({ host, port: metricsPort }, () => registry.metrics()))
            )
      const url = tracesUrl(config)
      const traces =
        url === undefined
          ? undefined
          : yield* (yield* Effect.promise(() => import("./Tracing.ts"))).make({
              ...config,
              url,
              addressOf,
              mask
            })
      /** Without decorators a port is used as it is, which costs nothing. */
      const observe =
        (...decoratorsOf: ReadonlyArray<((port: string) => Port.Decorator) | undefined>): Observe =>
        (name, port, writes) =>
          decoratorsOf
            .filter(Predicate.isNotUndefined)
            .reduce((observed, of) => Port.decorate(observed, writes, of(name)), port)
      return {
        observers: [log, outages.observer, metrics?.observer, traces?.observer].filter(
          Predicate.isNotUndefined
        ),
        keyStore: outages.watch,
        useCases: observe(traces?.decorator),
        store: observe(metrics && (() => metrics.decorator), traces?.decorator),
        storeEvents: metrics?.storeEvents,
        serve: metrics?.serve ?? Effect.void,
        watchKeys: metrics?.watchKeys ?? (() => {})
      }
    })
  )

/** Where traces go, if anywhere. */
const tracesUrl = (config: AppConfig): string | undefined => {
  const { isTelemetryDisabled, otlpEndpoint, otlpTracesEndpoint, traceExporter } = config
  if (isTelemetryDisabled || traceExporter === "none") return undefined
  return otlpTracesEndpoint ?? otlpEndpoint?.replace(/\/?$/, "/v1/traces")
}
