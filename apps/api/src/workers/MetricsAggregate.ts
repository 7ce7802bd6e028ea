/** Adds up the metrics of all workers. Loaded only if there is a port for metrics. */
import { EventEmitter, once } from "node:events"
import * as Prometheus from "prom-client"

export type Metrics = ReadonlyArray<object>

/** How long to wait for a worker. After that its last metrics count. */
const maxWaitMillis = 1000

export const make = () => {
  const registry = new Prometheus.Registry()
  const registers = [registry]
  /** The latest metrics of each worker that serves, by what asks it for new ones. */
  const latest = new Map<() => Promise<unknown>, Metrics>()
  /** What workers that have ended counted. */
  let past: Promise<Metrics> = Promise.resolve([])

  new Prometheus.Gauge({
    name: "petstore_workers",
    help: "Worker processes that serve",
    registers,
    collect() {
      this.set(latest.size)
    }
  })
  const restarts = new Prometheus.Counter({
    name: "petstore_worker_restarts_total",
    help: "Worker processes that ended and were started again",
    registers
  })

  return {
    /** Adds a worker that serves; it is asked for its metrics when they are read. */
    add: (ask: () => void) => {
      const answers = new EventEmitter().setMaxListeners(0)
      const refresh = () => {
        ask()
        const signal = AbortSignal.timeout(maxWaitMillis)
        return once(answers, "answer", { signal }).catch(() => {})
      }
      latest.set(refresh, [])
      return {
        receive: (metrics: Metrics) => {
          latest.set(refresh, metrics)
          answers.emit("answer")
        },
        /** Its last counts stay. */
        leave: () => {
          const counts = (latest.get(refresh) ?? []).filter(isCount)
          past = past.then((before) => add([before, counts]).getMetricsAsJSON())
          latest.delete(refresh)
          answers.emit("answer")
        }
      }
    },
    countRestart: () => restarts.inc(),
    /** In Prometheus's text format. */
    read: async () => {
      await Promise.all(Array.from(latest.keys(), (refresh) => refresh()))
      const parts = [...latest.values(), past, registry.getMetricsAsJSON()]
      return add(await Promise.all(parts)).metrics()
    }
  }
}

export type MetricsAggregate = ReturnType<typeof make>

const add = (parts: ReadonlyArray<Metrics>) =>
  Prometheus.AggregatorRegistry.aggregate(parts.map((metrics) => [...metrics]))

const isCount = (metric: object): boolean =>
  "type" in metric && (metric.type === "counter" || metric.type === "histogram")
