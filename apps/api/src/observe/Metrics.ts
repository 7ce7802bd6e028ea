/** Metrics for Prometheus, on a port of their own. Loaded only if there is such a port. */
import { ApiKeyRefused } from "@petstore/access/ApiKey"
import { HttpListener } from "@petstore/http-transport/HttpListener"
import type { Address } from "@petstore/http-transport/NodeServer"
import { bodyBytesOf, type Observer } from "@petstore/http-transport/Observer"
import * as Direct from "@petstore/kernel/Direct"
import type * as Port from "@petstore/kernel/Port"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import * as Prometheus from "prom-client"
import { version } from "../version.ts"
import * as Gauges from "./Gauges.ts"
import * as MetricsListener from "./MetricsListener.ts"

const seconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const sizes = [1, 2, 4, 8, 16, 32, 64, 128, 256]
const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
/** How many keys have a series of their own. */
const maxKeys = 1000

/** Metrics that are served at this address. */
export const make = (address: Address) => {
  const registry = new Prometheus.Registry()
  const registers = [registry]
  const gauges = Gauges.make(registry)
  Prometheus.collectDefaultMetrics({ register: registry })
  const build = new Prometheus.Gauge({
    name: "petstore_build_info",
    help: "Always 1; the labels name the version and the runtime",
    labelNames: ["version", "node_version"],
    registers
  })
  build.set({ version, node_version: process.versions.node }, 1)
  /** A store that could not be opened is opened again, and asks again. */
  const as = (name: string) => {
    registry.removeSingleMetric(name)
    return { name, registers }
  }
  const histogram = (
    name: string,
    help: string,
    buckets: Array<number>,
    ...labelNames: Array<string>
  ) => new Prometheus.Histogram({ ...as(name), help, buckets, labelNames })
  const counter = (name: string, help: string, ...labelNames: Array<string>) =>
    new Prometheus.Counter({ ...as(name), help, labelNames })
  const request = "Time from the arrival of a request's headers to its answer"
  const ofRequest = ["method", "route", "status"]
  const name = "petstore_http_request_duration_seconds"
  const requests = histogram(name, request, seconds, ...ofRequest)
  const size = "Bytes of the bodies of answers"
  const bytes = counter("petstore_http_response_bytes_total", size, "method", "route")
  const ofKey = "Requests by the id of their API key"
  const keys = counter("petstore_key_requests_total", ofKey, "key_id")
  const keyIds = new Set<string>()
  const refused = "Requests whose API key was refused"
  const refusals = counter("petstore_keys_refused_total", refused, "reason")
  const took = "Time that the store took for an operation"
  const ofStore = ["operation", "result"]
  const store = histogram("petstore_store_duration_seconds", took, seconds, ...ofStore)

  // Series that exist from the start, so that their first increase is seen.
  for (const reason of ["missing", ...ApiKeyRefused.fields.reason.literals])
    refusals.inc({ reason }, 0)

  const observer: Observer = {
    onAnswer: (exchange, reply) => {
      const { notes, request, startedAt } = exchange
      const { keyId = "none", keyRefusal, route = "none" } = notes
      const method = methods.has(request.method ?? "") ? String(request.method) : "other"
      const seconds = (performance.now() - startedAt) / 1000
      requests.observe({ method, route, status: reply.status }, seconds)
      bytes.inc({ method, route }, bodyBytesOf(exchange, reply))
      if (keyIds.size < maxKeys) keyIds.add(keyId)
      keys.inc({ key_id: keyIds.has(keyId) ? keyId : "other" })
      if (keyRefusal !== undefined) refusals.inc({ reason: keyRefusal })
    }
  }

  /** Measures an operation each time that it runs. */
  const measure: Port.Decorator = (effect, name) =>
    Direct.flatMap(now, (start) => {
      // An add is one operation, with a key or without.
      const operation = name === "addOnce" ? "add" : name
      const observed = <A>(outcome: A, result: string): A => {
        store.observe({ operation, result }, (performance.now() - start) / 1000)
        return outcome
      }
      return Direct.mapBoth(effect, {
        onFailure: (error) => observed(error, resultOf(error)),
        onSuccess: (value) => observed(value, "success")
      })
    })

  return {
    registry,
    observer,
    /** Each has its metric from when a store asks for it, so there is none that the store does not have. */
    storeEvents: {
      get onBatch() {
        const together = "Writes that were committed together"
        const batches = histogram("petstore_store_batch_size", together, sizes)
        return (size: number) => batches.observe(size)
      },
      get onCache() {
        const asked = "Lists that the page cache was asked for"
        const pages = counter("petstore_store_page_cache_requests_total", asked, "result")
        for (const result of ["hit", "miss"]) pages.inc({ result }, 0)
        return (isHit: boolean) => pages.inc({ result: isHit ? "hit" : "miss" })
      },
      onFile: gauges.watchFile,
      onPool: gauges.watchPool
    },
    decorator: measure,
    /** Serves the metrics, for as long as the scope is open. */
    serve: Effect.flatMap(HttpListener, (listener) => {
      gauges.watchListener(listener)
      return MetricsListener.serve(address, () => registry.metrics())
    }),
    watchKeys: gauges.watchKeys
  }
}

/** What a caller asks for and does not find is not a store failure. */
const resultOf = (error: unknown): string => {
  if (!(Predicate.hasProperty(error, "_tag") && error._tag !== "StoreUnavailable")) return "failure"
  return String(error._tag).endsWith("NotFound") ? "not_found" : "refused"
}

const now = Direct.sync(() => Exit.succeed(performance.now()))
