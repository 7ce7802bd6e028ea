/** Adds up the metrics of all workers. Loaded only if there is a port for metrics. */
import * as Prometheus from "prom-client"

/** The metrics of a registry. */
export type Metrics = ReadonlyArray<object>

/** A worker whose metrics are added. */
export interface Member {
  readonly receive: (metrics: Metrics) => void
  /** Its last counts stay. */
  readonly leave: () => void
}

/** The metrics of all workers, added up. */
export interface MetricsAggregate {
  /** Adds a worker that serves; it is asked for its metrics when they are read. */
  readonly add: (ask: () => void) => Member
  readonly countRestart: () => void
  /** In Prometheus's text format. */
  readonly read: () => Promise<string>
}

/** How long to wait for a worker. After that its last metrics count. */
const maxWaitMillis = 1000

export const make = (): MetricsAggregate => {
  const registry = new Prometheus.Registry()
  const registers = [registry]
  const asking = new Map<object, () => Promise<void>>()
  const latest = new Map<object, Metrics>()
  /** What workers that have ended counted. */
  let past: Promise<Metrics> = Promise.resolve([])

  new Prometheus.Gauge({
    name: "petstore_workers",
    help: "Worker processes that serve",
    registers,
    collect() {
      this.set(asking.size)
    }
  })
  const restarts = new Prometheus.Counter({
    name: "petstore_worker_restarts_total",
    help: "Worker processes that ended and were started again",
    registers
  })

  return {
    add: (ask) => {
      const id = {}
      let waiting: Array<() => void> = []
      const proceed = () => {
        for (const resolve of waiting) resolve()
        waiting = []
      }
      asking.set(id, () => {
        ask()
        return new Promise((resolve) => {
          waiting.push(resolve)
          setTimeout(resolve, maxWaitMillis).unref()
        })
      })
      return {
        receive: (metrics) => {
          latest.set(id, metrics)
          proceed()
        },
        leave: () => {
          const counts = (latest.get(id) ?? []).filter(isCount)
          past = past.then((before) => add([before, counts]).getMetricsAsJSON())
          asking.delete(id)
          latest.delete(id)
          proceed()
        }
      }
    },
    countRestart: () => restarts.inc(),
    read: async () => {
      await Promise.all(Array.from(asking.values(), (ask) => ask()))
      const parts = [...latest.values(), past, registry.getMetricsAsJSON()]
      return add(await Promise.all(parts)).metrics()
    }
  }
}

const add = (parts: ReadonlyArray<Metrics>) =>
  Prometheus.AggregatorRegistry.aggregate(parts.map((metrics) => [...metrics]))

/** Whether a metric only grows. */
const isCount = (metric: object): boolean =>
  "type" in metric && (metric.type === "counter" || metric.type === "histogram")
