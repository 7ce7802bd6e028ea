/** Metrics that are read from their source: readiness, keys, and the file or the servers of the database. */
import { statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import type { PoolState } from "@petstore/store-postgres/PostgresStores"
import { Duration, Effect } from "effect"
import * as Prometheus from "prom-client"
import { isDurable } from "../src/databases/Database.ts"
import * as Databases from "../src/databases/Databases.ts"
import * as Gauges from "../src/observe/Gauges.ts"
import { folder, live } from "./support/Folder.ts"
import { replaceCall } from "./support/Interrupting.ts"
import { measured, valuesOf } from "./support/Observed.ts"
import { run } from "./support/Program.ts"
import { createKey } from "./support/Stock.ts"

const lastBackup = "petstore_store_last_backup_timestamp_seconds"
const lastRefresh = "petstore_keys_last_refresh_timestamp_seconds"
const freeBytes = "petstore_store_free_bytes"

const sizes = "petstore_store_size_bytes"
const file = { freeBytes: 7, bytes: 5, logBytes: 3, lastBackup: 2000 }

const load = { connections: 1, inFlight: 2, shed: 3, cut: 4 }

/** Gauges of a service with this state. */
const setUp = () => {
  const registry = new Prometheus.Registry()
  const state = { isStopping: false, age: Duration.zero }
  const gauges = Gauges.make(registry)
  gauges.watchListener({ isStopping: () => state.isStopping, load: () => load })
  const watchKeys = () => gauges.watchKeys({ age: () => state.age, countExpiring: Duration.toDays })
  const read = async (name: string) => (await registry.getSingleMetric(name)?.get())?.values ?? []
  const value = async (name: string) => (await read(name))[0]?.value
  return { gauges, read, registry, state, value, watchKeys }
}

describe("a service", () => {
  it("is ready once it has keys, while the store answers, until it stops", async () => {
    const { state, value, watchKeys } = setUp()
    expect(await value("petstore_ready")).toBe(0)
    watchKeys()
    expect(await value("petstore_ready")).toBe(1)
    state.age = Duration.seconds(10)
    expect(await value("petstore_ready")).toBe(0)
    state.age = Duration.seconds(9)
    expect(await value("petstore_ready")).toBe(1)
    expect(await value("petstore_keys_expiring")).toBe(7)
    expect(await value(lastRefresh)).toBeLessThan(Date.now() / 1000 - 8)
    state.isStopping = true
    expect(await value("petstore_ready")).toBe(0)
  })

  it("tells its load, each number by its name", async () => {
    const { value } = setUp()
    const names = ["connections", "requests_in_flight", "requests_shed_total"]
    const read = [...names, "connections_cut_total"].map((name) => value(`petstore_http_${name}`))
    expect(await Promise.all(read)).toEqual([1, 2, 3, 4])
  })
})

it("the state of a file has no sample while it cannot be read, and does not keep others from being read", async () => {
  const { gauges, read, registry } = setUp()
  let isMissing = false
  gauges.watchFile(async () => {
    if (isMissing) throw new Error("no such file")
    return file
  })
  expect(await read(freeBytes)).toMatchObject([{ value: 7 }])
  expect(await read(lastBackup)).toMatchObject([{ value: 2 }])
  expect(await read(sizes)).toMatchObject([
    { value: 5, labels: { file: "database" } },
    { value: 3, labels: { file: "log" } }
  ])
  isMissing = true
  for (const name of [freeBytes, lastBackup, sizes]) expect(await read(name)).toEqual([])
  expect(await registry.metrics()).toContain("petstore_ready 0")
})

it("the state of a pool has its connections, and what became of operations", async () => {
  const { gauges, read } = setUp()
  const state: PoolState = { used: 1, idle: 2, waiting: 3, opened: 4, failed: 5 }
  gauges.watchPool(() => state)
  const labels = { pool: "primary" }
  const postgres = (name: string) => read(`petstore_postgres_${name}`)
  expect(await postgres("connections")).toEqual([
    { value: 1, labels: { ...labels, state: "used" } },
    { value: 2, labels: { ...labels, state: "idle" } }
  ])
  expect(await postgres("waiting_operations")).toEqual([{ value: 3, labels }])
  expect(await postgres("connections_opened_total")).toEqual([{ value: 4, labels }])
  expect(await postgres("failures_total")).toEqual([{ value: 5, labels }])
})

live("the state of a file is the same by another name", function* () {
  const path = yield* folder
  writeFileSync(join(path, "pets.db"), "1234")
  writeFileSync(join(path, "pets.db-wal"), "12")
  symlinkSync("pets.db", join(path, "link.db"))
  const stateOf = (name: string) =>
    Effect.flatMap(Databases.parse(`sqlite:${join(path, name)}`), (database) =>
      isDurable(database) && database.file ? database.file : Effect.die("a file")
    )
  // As on a file system that keeps some space for its administrator.
  yield* Effect.acquireRelease(
    Effect.sync(() =>
      replaceCall(
        "statfs",
        (original) =>
          async (...values) =>
            String(values[0]).startsWith(path)
              ? { bavail: 3, bfree: 4, bsize: 512 }
              : original(...values)
      )
    ),
    (restore) => Effect.sync(restore)
  )
  const state = { bytes: 4, logBytes: 2, freeBytes: 1536, lastBackup: 0 }
  expect(yield* stateOf("pets.db")).toEqual(state)
  expect(yield* stateOf("link.db")).toEqual(state)
})

describe("a service on SQLite", () => {
  live("is ready, has read its keys, and counts those that expire soon", function* () {
    const path = yield* folder
    for (const expires of ["2 days", "6 days", "8 days"] as const) {
      yield* createKey(path, { expires })
    }
    const started = Date.now() / 1000
    const { read } = yield* measured({}, Effect.succeed(path))
    const metrics = yield* read
    expect(valuesOf(metrics, "petstore_ready")).toEqual([1])
    expect(valuesOf(metrics, "petstore_keys_expiring")).toEqual([2])
    expect(valuesOf(metrics, lastRefresh)[0]).toBeGreaterThanOrEqual(started)
    expect(valuesOf(metrics, freeBytes)[0]).toBeGreaterThan(0)
    for (const name of ["petstore.db", "petstore.db-wal"]) {
      const labels = { file: name.endsWith("wal") ? "log" : "database" }
      expect(valuesOf(metrics, sizes, labels)).toEqual([statSync(join(path, "data", name)).size])
    }
  })

  live("knows when petstore backup last succeeded, also by another name of the file", function* () {
    const { path, read } = yield* measured()
    const last = Effect.map(read, (metrics) => valuesOf(metrics, lastBackup)[0] ?? -1)
    expect(yield* last).toBe(0)
    expect(yield* run(path, ["backup", "missing/copy.db"])).toMatchObject({ code: 1 })
    expect(yield* last).toBe(0)
    const link = join(path, "link.db")
    symlinkSync(join(path, "data", "petstore.db"), link)
    // File systems may keep times in whole seconds.
    const started = Math.floor(Date.now() / 1000)
    const backup = ["backup", "copy.db", "--database", `sqlite:${link}`]
    expect(yield* run(path, backup)).toMatchObject({ code: 0 })
    expect(yield* last).toBeGreaterThanOrEqual(started)
    // The next one is known, too.
    utimesSync(join(path, "data", "petstore.db.last-backup"), 1, 1)
    expect(yield* last).toBe(1)
    expect(yield* run(path, ["backup", "next.db"])).toMatchObject({ code: 0 })
    expect(yield* last).toBeGreaterThanOrEqual(started)
  })
})
