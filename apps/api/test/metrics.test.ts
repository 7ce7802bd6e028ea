/** Metrics of the built program, as Prometheus reads them. */
import { renameSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "@effect/vitest"
import * as LocalPostgres from "@petstore/local-postgres/LocalPostgres"
import { Effect, Logger, LogLevel } from "effect"
import * as MetricsListener from "../src/observe/MetricsListener.ts"
import { type Family } from "./support/Exposition.ts"
import { folder, live } from "./support/Folder.ts"
import {
  add,
  call,
  connection,
  measured,
  postHead,
  rex,
  until,
  valuesOf
} from "./support/Observed.ts"
import { run } from "./support/Program.ts"
import { stranger } from "./support/Service.ts"
import { createKey } from "./support/Stock.ts"

const requests = "petstore_http_request_duration_seconds"
const store = "petstore_store_duration_seconds"
const cache = "petstore_store_page_cache_requests_total"
const inFlight = "petstore_http_requests_in_flight"
const connections = "petstore_http_connections"

/** A request in two parts: it is in flight until the rest of its body arrives. */
const [unfinished, rest] = [postHead + rex.slice(0, 10), rex.slice(10)]

describe("metrics", () => {
  live("count requests and bytes by method and route, and measure the time", function* () {
    const { read, url } = yield* measured()
    const started = performance.now()
    expect(yield* call(url, "/v1/pets")).toBe(200)
    expect(yield* call(url, "/v1/pets?limit=2")).toBe(200)
    expect(yield* call(url, "/v1/pets", { method: "HEAD" })).toBe(200)
    expect(yield* call(url, "/v1/pets/7")).toBe(404)
    expect(yield* call(url, "/v1/pets?limit=x", { method: "HEAD" })).toBe(400)
    expect(yield* add(url)).toBe(201)
    expect(yield* call(url, "/readyz", { key: null })).toBe(200)
    const elapsed = (performance.now() - started) / 1000
    const metrics = yield* read
    const counts = (metrics.get(requests)?.samples ?? []).filter(({ name }) =>
      name.endsWith("_count")
    )
    expect(
      counts.map(({ labels, value }) => [
        labels["method"],
        labels["route"],
        labels["status"],
        value
      ])
    ).toEqual([
      ["GET", "/v1/pets", "200", 2],
      ["HEAD", "/v1/pets", "200", 1],
      ["GET", "/v1/pets/{petId}", "404", 1],
      ["HEAD", "/v1/pets", "400", 1],
      ["POST", "/v1/pets", "201", 1],
      ["GET", "/readyz", "200", 1]
    ])
    const sums = valuesOf(metrics, requests, {}, "_sum")
    expect(Math.min(...sums)).toBeGreaterThan(0)
    expect(sums.reduce((a, b) => a + b)).toBeLessThan(elapsed)
    // Each operation is measured from its own start, that of the probe, too, which was made with the service.
    const [spent] = valuesOf(metrics, store, { operation: "list", result: "success" }, "_sum")
    expect(spent).toBeGreaterThan(0)
    expect(spent).toBeLessThan(elapsed)
    const last = valuesOf(metrics, requests, { le: "+Inf" }, "_bucket")
    expect(last.reduce((a, b) => a + b)).toBe(7)
    // The alert of slow answers compares with this time.
    expect(valuesOf(metrics, requests, { le: "0.5" }, "_bucket")).toHaveLength(6)
    const bytes = (method: string) =>
      valuesOf(metrics, "petstore_http_response_bytes_total", { method, route: "/v1/pets" })
    const { length } = JSON.stringify({ id: 1, ...JSON.parse(rex) })
    expect([bytes("POST"), bytes("GET"), bytes("HEAD")]).toEqual([[length], [4], [0]])
  })

  live("count connections and requests in flight", function* () {
    const { read, url } = yield* measured()
    const load = Effect.map(read, (metrics) =>
      [connections, inFlight].map((name) => valuesOf(metrics, name)[0])
    )
    const becomes = (...wanted: ReadonlyArray<number>) =>
      until(load, (values) => String(values) === String(wanted))
    yield* becomes(0, 0)
    // One that has never sent a request is closed after ten seconds.
    yield* connection(url, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
    const slow = yield* connection(url, unfinished)
    yield* becomes(2, 1)
    slow.write(rest)
    yield* becomes(2, 0)
    slow.destroy()
    yield* becomes(1, 0)
    const statuses = valuesOf(yield* read, requests, { status: "201" }, "_count")
    expect(statuses).toEqual([1])
  })

  live("count requests that were shed, and no page as cached if there is no cache", function* () {
    const environment = { PETSTORE_MAX_IN_FLIGHT: "1", PETSTORE_CACHE_BYTES: "0" }
    const { read, url } = yield* measured(environment)
    for (const path of ["/v1/pets", "/v1/pets"]) yield* call(url, path)
    expect(valuesOf(yield* read, cache, { result: "miss" })).toEqual([2])
    const shed = Effect.map(read, (metrics) =>
      valuesOf(metrics, "petstore_http_requests_shed_total")
    )
    expect(yield* shed).toEqual([0])
    yield* connection(url, unfinished)
    yield* until(read, (metrics) => valuesOf(metrics, inFlight)[0] === 1)
    expect(yield* call(url, "/v1/pets")).toBe(503)
    expect(yield* call(url, "/v1/pets")).toBe(503)
    // Reading it does not change it.
    yield* shed
    expect(yield* shed).toEqual([2])
  })

  live("measure the store by operation and result, and count batches and cache hits", function* () {
    const { path, read, url } = yield* measured()
    const before = yield* read
    expect([valuesOf(before, cache), valuesOf(before, store)]).toEqual([[0, 0], []])
    yield* add(url)
    const headers = { "Idempotency-Key": "key" }
    for (const body of [rex, rex, rex.replace("Rex", "Tom")]) {
      yield* call(url, "/v1/pets", { method: "POST", headers, body })
    }
    for (const path of ["/v1/pets", "/v1/pets", "/v1/pets", "/v1/pets/1", "/v1/pets/7"]) {
      yield* call(url, path)
    }
    const counts = Effect.map(read, (metrics) => ({
      add: valuesOf(metrics, store, { operation: "add", result: "success" }, "_count"),
      list: valuesOf(metrics, store, { operation: "list", result: "success" }, "_count"),
      get: valuesOf(metrics, store, { operation: "get", result: "success" }, "_count"),
      notFound: valuesOf(metrics, store, { operation: "get", result: "not_found" }, "_count"),
      failures: valuesOf(metrics, store, { result: "failure" }, "_count"),
      batched: valuesOf(metrics, "petstore_store_batch_size", {}, "_sum"),
      hits: valuesOf(metrics, cache, { result: "hit" }),
      misses: valuesOf(metrics, cache, { result: "miss" })
    }))
    // The one that is refused is, by a use case, after the store gave the first.
    const cached = { hits: [2], misses: [1] }
    const good = { add: [4], batched: [4], list: [3], get: [1], notFound: [1], ...cached }
    expect(yield* counts).toEqual({ ...good, failures: [] })
    const file = join(path, "data", "petstore.db")
    renameSync(file, `${file}.away`)
    yield* until(call(url, "/v1/pets/1"), (status) => status === 503)
    expect((yield* counts).failures).toEqual([1])
  })

  live("count requests by the id of their key, and refused keys by reason", function* () {
    const path = yield* folder
    const { key: expired } = yield* createKey(path, { expires: "1 second" })
    const { id, key: revoked } = yield* createKey(path)
    const { id: used, key: good } = yield* createKey(path)
    const { id: idle } = yield* createKey(path)
    yield* run(path, ["keys", "revoke", id])
    const { read, url } = yield* measured({}, Effect.succeed(path))
    const refused = Effect.map(read, (metrics) =>
      Object.fromEntries(
        (metrics.get("petstore_keys_refused_total")?.samples ?? []).map(({ labels, value }) => [
          labels["reason"],
          value
        ])
      )
    )
    const none = { missing: 0, unknown: 0, expired: 0, rotated: 0, revoked: 0, outdated: 0 }
    expect(yield* refused).toEqual(none)
    const status = (key: string | null) => call(url, "/v1/pets", { key })
    yield* until(status(expired), (status) => status === 401)
    for (const key of [null, null, "wrong", revoked, revoked, revoked]) {
      expect(yield* status(key)).toBe(401)
    }
    for (const key of [good, good]) expect(yield* status(key)).toBe(200)
    expect(yield* refused).toEqual({ ...none, missing: 2, unknown: 1, expired: 1, revoked: 3 })
    const metrics = yield* read
    const count = (key_id: string) => valuesOf(metrics, "petstore_key_requests_total", { key_id })
    expect([count(used), count(idle), count("none").length]).toEqual([[2], [], 1])
  })

  live("have no labels that callers choose", function* () {
    const { read, url } = yield* measured()
    const provoke = (word: string) =>
      Effect.gen(function* () {
        for (const key of [null, word, undefined]) {
          const headers = { "X-Request-Id": word, traceparent: word, "User-Agent": word }
          const calling = { headers, ...(key === undefined ? {} : { key }) }
          yield* call(url, `/${word}?${word}`, calling)
          yield* call(url, `/v1/${word}`, calling)
          yield* call(url, `/v1/pets/${word}`, calling)
          yield* call(url, `/v1/pets?status=${word}`, calling)
          for (const method of ["PURGE", "TRACE", "MKCOL", "DELETE", "OPTIONS", "PATCH", "PUT"]) {
            yield* call(url, "/v1/pets", { ...calling, method })
          }
        }
        yield* connection(url, `${word} /v1/pets HTTP/1.1\r\n\r\n`)
        return yield* until(
          Effect.map(read, (metrics) => [...metrics.values()].filter(isOurs)),
          (families) =>
            JSON.stringify(families).includes('"method":"other","route":"none","status":"400"')
        )
      })
    const series = (families: ReadonlyArray<Family>) =>
      families.flatMap(({ samples }) => samples.map(({ labels, name }) => ({ labels, name })))
    const first = series(yield* provoke("brew"))
    expect(series(yield* provoke("stew"))).toEqual(first)
    expect(JSON.stringify(first)).not.toContain("brew")
    const values = (label: string) =>
      [...new Set(first.map(({ labels }) => labels[label]))].filter((value) => value !== undefined)
    const methods = ["DELETE", "GET", "OPTIONS", "PATCH", "PUT", "other"]
    expect(values("method").sort()).toEqual(methods)
    expect(values("route").sort()).toEqual(["/v1/pets", "/v1/pets/{petId}", "none"])
  })

  live("are at one path, and tell the version, the delay and memory", function* () {
    const { metricsUrl, read, url } = yield* measured({ HOST: "127.0.0.2" })
    expect(metricsUrl).toContain("http://127.0.0.2:")
    yield* add(url)
    yield* call(url, "/v1/pets", { key: null })
    const metrics = yield* read
    expect(metrics.get("petstore_build_info")?.samples).toEqual([
      {
        name: "petstore_build_info",
        labels: {
          version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
          node_version: process.versions.node
        },
        value: 1
      }
    ])
    for (const name of [
      "nodejs_eventloop_lag_p99_seconds",
      "process_resident_memory_bytes",
      "nodejs_heap_size_used_bytes",
      "process_cpu_seconds_total"
    ]) {
      expect(valuesOf(metrics, name)[0]).toBeGreaterThan(0)
    }
    for (const [method, path, status] of [
      ["GET", "/metrics?name=a", 200],
      ["HEAD", "/metrics", 200],
      ["POST", "/metrics", 405],
      ["GET", "/metrics/a", 404]
    ] as const) {
      const { headers, status: answered } = yield* Effect.promise(() =>
        fetch(new URL(path, metricsUrl), { method })
      )
      expect([method, path, answered]).toEqual([method, path, status])
      expect(headers.get("allow")).toBe(status === 405 ? "GET, HEAD" : null)
      const type = "text/plain; version=0.0.4; charset=utf-8"
      expect(headers.get("content-type")).toBe(status === 200 ? type : null)
    }
    const families = [...metrics.values()]
    expect(families.filter(isOurs).length).toBeGreaterThan(5)
  })

  live("name their variable if the port is in use", function* () {
    const { port } = new URL(yield* stranger((_, response) => response.end()))
    const { code, stderr, stdout } = yield* run(yield* folder, ["serve", "--port", "0"], {
      environment: { PETSTORE_METRICS_PORT: port }
    })
    expect(stderr).toBe(
      `PETSTORE_METRICS_PORT ${port} is in use on 127.0.0.1: stop the other process, or set PETSTORE_METRICS_PORT to another port\n`
    )
    expect([code, stdout]).toEqual([3, ""])
  })
})

const isOurs = ({ name }: Family) => name.startsWith("petstore_")

live("metrics that cannot be read are answered with 500", function* () {
  const port = yield* Effect.promise(LocalPostgres.freePort)
  const failing = () => Promise.reject(new Error("a gauge failed"))
  yield* MetricsListener.serve({ host: "127.0.0.1", port }, failing).pipe(
    Logger.withMinimumLogLevel(LogLevel.None)
  )
  const answer = yield* Effect.promise(() => fetch(`http://127.0.0.1:${port}/metrics`))
  expect([answer.status, yield* Effect.promise(() => answer.text())]).toEqual([
    500,
    "Error: a gauge failed"
  ])
})
