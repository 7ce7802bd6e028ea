/** Metrics that are read from their source when they are asked for. */
import type { ApiKeys } from "@petstore/access/ApiKeys"
import type { HttpListener, Load } from "@petstore/http-transport/HttpListener"
import type { PoolState } from "@petstore/store-postgres/PostgresStores"
import * as Duration from "effect/Duration"
import * as Prometheus from "prom-client"
import type { FileState } from "../databases/Database.ts"

type Sample = readonly [value: number, labels?: Readonly<Record<string, string>>]
type Samples = ReadonlyArray<Sample>
type Keys = Pick<ApiKeys["Type"], "age" | "countExpiring">

/** How soon a key must expire to be counted. */
const soon = Duration.days(7)
/** The keys are read twice a second, so the store does not answer if they are older. */
const maxAge = Duration.seconds(10)

const loads: ReadonlyArray<readonly [name: string, help: string, of: keyof Load]> = [
  ["petstore_http_requests_in_flight", "Requests being handled", "inFlight"],
  ["petstore_http_connections", "Open connections", "connections"],
  ["petstore_http_requests_shed_total", "Requests answered 503 because of a limit on load", "shed"],
  [
    "petstore_http_connections_cut_total",
    "Connections closed because their callers did not read, or sent too many requests",
    "cut"
  ]
]

/** Adds metrics to a registry, those of a part of the service once there is that part. */
export const make = (registry: Prometheus.Registry) => {
  const add = (
    name: string,
    help: string,
    read: () => Samples | Promise<Samples>,
    ...labelNames: Array<string>
  ) => {
    // A store that could not be opened is opened again, and has another state.
    registry.removeSingleMetric(name)
    const options = {
      ...{ name, help, labelNames, registers: [registry] },
      async collect(this: Prometheus.Gauge | Prometheus.Counter) {
        // What cannot be read has no sample; a reset leaves a zero, which would mean something.
        const samples = await Promise.resolve(read()).catch(() => [])
        this.reset()
        this.remove({})
        for (const [value, labels = {}] of samples) this.inc(labels, value)
      }
    }
    name.endsWith("_total") ? new Prometheus.Counter(options) : new Prometheus.Gauge(options)
  }
  let keys: Keys | undefined

  return {
    watchListener: ({ isStopping, load }: Pick<HttpListener["Type"], "isStopping" | "load">) => {
      const isReady = () =>
        keys !== undefined && Duration.lessThan(keys.age(), maxAge) && !isStopping()
      const readiness = "1 if the service serves and its store answers, else 0"
      add("petstore_ready", readiness, () => [[Number(isReady())]])
      for (const [name, help, of] of loads) add(name, help, () => [[load()[of]]])
    },
    watchKeys: (known: Keys) => {
      keys = known
      const expiring = "Keys that expire within a week and were not rotated"
      add("petstore_keys_expiring", expiring, () => [[known.countExpiring(soon)]])
      const refresh = "When the keys were last read from the store"
      add("petstore_keys_last_refresh_timestamp_seconds", refresh, () => [
        [Date.now() / 1000 - Duration.toSeconds(known.age())]
      ])
    },
    watchFile: (read: () => Promise<FileState>) => {
      const free = "Free bytes of the file system that the database is on"
      add("petstore_store_free_bytes", free, async () => [[(await read()).freeBytes]])
      const size = "Size of the database's file, and of its write-ahead log"
      const sizes = ({ bytes, logBytes }: FileState): Samples => [
        [bytes, { file: "database" }],
        [logBytes, { file: "log" }]
      ]
      add("petstore_store_size_bytes", size, () => read().then(sizes), "file")
      const backup = "When petstore backup last succeeded; 0 for never"
      add("petstore_store_last_backup_timestamp_seconds", backup, async () => [
        [(await read()).lastBackup / 1000]
      ])
    },
    watchPool: (read: () => PoolState) => {
      const ofPool = (name: string, help: string, of: (state: PoolState) => Samples) => {
        const named = () =>
          of(read()).map(([value, labels]): Sample => [value, { pool: "primary", ...labels }])
        add(name, help, named, "pool", "state")
      }
      const connections = "Connections of a pool that are used or idle"
      ofPool("petstore_postgres_connections", connections, ({ idle, used }) => [
        [used, { state: "used" }],
        [idle, { state: "idle" }]
      ])
      const waiting = "Operations that wait for a connection of a pool"
      ofPool("petstore_postgres_waiting_operations", waiting, (pool) => [[pool.waiting]])
      ofPool("petstore_postgres_connections_opened_total", "Connections made", (pool) => [
        [pool.opened]
      ])
      const failures = "Operations that failed because of a connection"
      ofPool("petstore_postgres_failures_total", failures, (pool) => [[pool.failed]])
    }
  }
}
