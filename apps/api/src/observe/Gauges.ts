/** Metrics that are read from their source when they are asked for. */
import type { ApiKeys } from "@petstore/access/ApiKeys"
import type { HttpListener, Load } from "@petstore/http-server/HttpListener"
import type { DatabaseState } from "@petstore/store-postgres/PostgresStores"
import * as Duration from "effect/Duration"
import * as Prometheus from "prom-client"
import type { FileState } from "../databases/Database.ts"

/** A value with its labels. */
type Sample = readonly [value: number, labels?: Readonly<Record<string, string>>]

type Keys = Pick<ApiKeys["Type"], "age" | "countExpiring">
type Read = () => ReadonlyArray<Sample> | Promise<ReadonlyArray<Sample>>

/** How soon a key must expire to be counted. */
const soon = Duration.days(7)
/** The keys are read twice a second, so the store does not answer if they are older. */
const maxAge = Duration.seconds(10)

/** Adds metrics to a registry, those of a part of the service once there is that part. */
export const make = (registry: Prometheus.Registry) => {
  const options = (name: string, help: string, read: Read, ...labelNames: Array<string>) => ({
    name,
    help,
    labelNames,
    registers: [registry],
    async collect(this: Prometheus.Gauge | Prometheus.Counter) {
      // What cannot be read has no sample; a reset leaves a zero, which would mean something.
      const samples = await Promise.resolve(read()).catch(() => [])
      this.reset()
      this.remove({})
      for (const [value, labels = {}] of samples) this.inc(labels, value)
    }
  })
  /** Of several workers the aggregator makes one value. */
  const gauge = (aggregator: Prometheus.Aggregator, ...rest: Parameters<typeof options>) =>
    new Prometheus.Gauge({ ...options(...rest), aggregator })
  const counter = (...rest: Parameters<typeof options>) => new Prometheus.Counter(options(...rest))

  let keys: Keys | undefined

  return {
    watchListener: ({ isStopping, load }: Pick<HttpListener["Type"], "isStopping" | "load">) => {
      const isReady = () =>
        keys !== undefined && Duration.lessThan(keys.age(), maxAge) && !isStopping()
      const of = (property: keyof Load) => () => [[load()[property]] as const]
      gauge(
        "min",
        "petstore_ready",
        "1 if the service serves and its store answers, else 0",
        () => [[Number(isReady())]]
      )
      gauge("sum", "petstore_http_requests_in_flight", "Requests being handled", of("inFlight"))
      gauge("sum", "petstore_http_connections", "Open connections", of("connections"))
      counter(
        "petstore_http_requests_shed_total",
        "Requests answered 503 because of a limit on load",
        of("shed")
      )
      counter(
        "petstore_http_connections_cut_total",
        "Connections closed because their callers did not read, or sent too many requests",
        of("cut")
      )
    },
    watchKeys: (known: Keys) => {
      keys = known
      gauge(
        "min",
        "petstore_keys_last_refresh_timestamp_seconds",
        "When the keys were last read from the store",
        () => [[Date.now() / 1000 - Duration.toSeconds(known.age())]]
      )
      gauge(
        "max",
        "petstore_keys_expiring",
        "Keys that expire within a week and were not rotated",
        () => [[known.countExpiring(soon)]]
      )
    },
    watchFile: (read: () => Promise<FileState>) => {
      gauge(
        "min",
        "petstore_store_free_bytes",
        "Free bytes of the file system that the database is on",
        async () => [[(await read()).freeBytes]]
      )
      gauge(
        "max",
        "petstore_store_last_backup_timestamp_seconds",
        "When petstore backup last succeeded; 0 for never",
        async () => [[(await read()).lastBackup / 1000]]
      )
    },
    watchPools: (read: () => DatabaseState) => {
      const of = (count: "waiting" | "opened" | "failed") => () =>
        read().pools.map(({ pool, [count]: value }): Sample => [value, { pool }])
      gauge(
        "sum",
        "petstore_postgres_connections",
        "Connections of a pool, by whether they are used or idle",
        () =>
          read().pools.flatMap(
            ({ idle, pool, used }): ReadonlyArray<Sample> => [
              [used, { pool, state: "used" }],
              [idle, { pool, state: "idle" }]
            ]
          ),
        "pool",
        "state"
      )
      gauge(
        "sum",
        "petstore_postgres_waiting_operations",
        "Operations that wait for a connection of a pool",
        of("waiting"),
        "pool"
      )
      counter(
        "petstore_postgres_connections_opened_total",
        "Connections made",
        of("opened"),
        "pool"
      )
      counter(
        "petstore_postgres_failures_total",
        "Operations that failed because a connection was lost or could not be made in time",
        of("failed"),
        "pool"
      )
      gauge(
        "max",
        "petstore_postgres_host_role",
        "Always 1; the labels name a host and its role",
        () => read().hosts.map(({ host, role }): Sample => [1, { host, role }]),
        "host",
        "role"
      )
      gauge(
        "max",
        "petstore_postgres_replay_lag_bytes",
        "What a standby has not replayed of its primary's log",
        () =>
          read().hosts.flatMap(
            ({ host, lag }): ReadonlyArray<Sample> => (lag === undefined ? [] : [[lag, { host }]])
          ),
        "host"
      )
    }
  }
}
