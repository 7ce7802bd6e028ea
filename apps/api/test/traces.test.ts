/** Traces of the built program, as a collector receives them. */
import { renameSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "@effect/vitest"
import { Clock, Deferred, Duration, Effect } from "effect"
import * as Calls from "./support/Calls.ts"
import { collector, type Export } from "./support/Collector.ts"
import { live } from "./support/Folder.ts"
import { add, type Call, call, key, rex, service, serviceBy, until } from "./support/Observed.ts"
import { start } from "./support/Program.ts"
import { linesOf } from "./support/ServerLog.ts"
import { stranger } from "./support/Service.ts"
import { createKey } from "./support/Stock.ts"

type Environment = Readonly<Record<string, string>>
type Span = Export["spans"][number]

const [internal, server] = [1, 2]
const [unset, error] = [0, 2]

const real = Clock.make()

/** On this clock exports never take too long for a service that stops, but the second retry of one never comes. */
const patient: Clock.Clock = Object.assign(Clock.make(), {
  sleep: (duration: Duration.Duration) =>
    Duration.lessThan(duration, "1 second") ? real.sleep(duration) : Effect.never
})

/** A service that exports to a collector. */
const traced = (environment: Environment = {}, receiving = collector(), clock = patient) =>
  Effect.gen(function* () {
    const receiver = yield* receiving
    const started = yield* serviceBy((path, given) => start(path, given, { clock }))({
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_BSP_SCHEDULE_DELAY: "20",
      LOG_REQUESTS: "all",
      DATABASE_URL: "memory:",
      ...environment
    })
    /** Waits for the span of each of this many requests, which is exported after those below it. */
    const arrived = (count: number) =>
      until(receiver.spans, (spans) => spans.filter(isServer).length >= count)
    /** Stops the service, and returns all spans that it exported. */
    const stopped = Effect.gen(function* () {
      const { code } = yield* Effect.promise(() => started.program.stop("SIGTERM"))
      expect(code).toBe(0)
      return yield* receiver.spans
    })
    return { ...receiver, ...started, arrived, stopped }
  })

const isServer = ({ kind }: Span) => kind === server
const childOf = (spans: ReadonlyArray<Span>, parent: Span | undefined) =>
  spans.filter(({ parentSpanId }) => parentSpanId === parent?.spanId)

/** The lines about requests, once there are this many. */
const accessLog = (program: { readonly stdout: string }, count: number) =>
  until(
    Effect.sync(() =>
      linesOf(program.stdout, /./).filter(({ durationMs }) => durationMs !== undefined)
    ),
    (lines) => lines.length >= count
  )

const warnings = (program: { readonly stdout: string }) =>
  program.stdout.split("\n").filter((line) => line.includes("cannot export traces"))

const traceId = "0af7651916cd43dd8448eb211c80319c"
const parentId = "b7ad6b7169203331"
const from = (id: string, flags: string): Call => ({
  headers: { traceparent: `00-${id}-${parentId}-${flags}` }
})

const sampledBy = (sampler: string, ratio = "0.5") => ({
  OTEL_TRACES_SAMPLER: sampler,
  OTEL_TRACES_SAMPLER_ARG: ratio
})

describe("traces", () => {
  live.each([
    { protocol: undefined, type: "application/x-protobuf" },
    { protocol: "http/json", type: "application/json" }
  ])(
    "have a span for the request, the use case and the store ($protocol)",
    function* ({ protocol, type }) {
      const { arrived, exports, url } = yield* traced(
        protocol === undefined ? {} : { OTEL_EXPORTER_OTLP_PROTOCOL: protocol }
      )
      const before = BigInt(Date.now()) * 1_000_000n
      yield* call(url, "/v1/pets?limit=2&status=sold", { headers: { "User-Agent": "tests/1" } })
      yield* add(url)
      yield* call(url, "/v1/pets/1")
      const spans = yield* arrived(3)
      expect(exports[0]).toMatchObject({
        path: "/v1/traces",
        headers: { "content-type": type },
        resource: { "service.name": "petstore" }
      })
      const roots = spans.filter(isServer)
      expect(roots.map(({ name }) => name)).toEqual([
        "GET /v1/pets",
        "POST /v1/pets",
        "GET /v1/pets/{petId}"
      ])
      expect(new Set(spans.map((span) => span.traceId)).size).toBe(3)
      expect(roots[0]).toMatchObject({ status: { code: unset }, events: [] })
      expect(roots[0]?.parentSpanId).toBeUndefined()
      expect(roots[0]?.attributes).toEqual({
        "http.request.method": "GET",
        "http.route": "/v1/pets",
        "http.response.status_code": 200,
        "http.response.body.size": 2,
        "url.scheme": "http",
        "url.path": "/v1/pets",
        "url.query": "limit=2&status=sold",
        "server.address": "127.0.0.1",
        "server.port": Number(new URL(url).port),
        "client.address": "127.0.0.1",
        "network.protocol.version": "1.1",
        "user_agent.original": "tests/1",
        "petstore.limit": 2,
        "petstore.status": "sold"
      })
      for (const [index, operation] of ["list", "add", "get"].entries()) {
        const root = roots[index]
        const [useCase, ...others] = childOf(spans, root)
        const [store] = childOf(spans, useCase)
        expect(others).toEqual([])
        expect([useCase?.name, store?.name]).toEqual([`Pets.${operation}`, `PetStore.${operation}`])
        const family = [root, useCase, store].filter((span) => span !== undefined)
        expect(new Set(family.map((span) => span.traceId)).size).toBe(1)
        expect(family.map(({ kind }) => kind)).toEqual([server, internal, internal])
        const starts = family.map((span) => span.startTimeUnixNano)
        const ends = family.map((span) => span.endTimeUnixNano).reverse()
        const times = [...starts, ...ends]
        expect([...times].sort((a, b) => Number(a - b))).toEqual(times)
        // The clocks of the two processes are the same, but for rounding.
        expect(Math.abs(Number((times[0] ?? 0n) - before))).toBeLessThan(60e9)
      }
    }
  )

  live("continue the trace of a valid traceparent", function* () {
    const { arrived, url } = yield* traced()
    const ids = `${traceId}-${parentId}`
    const valid = [`00-${ids}-01`, `00-${ids}-ff`, `cc-${ids}-01`, `cc-${ids}-01-more`]
    const invalid = [
      ...["", traceId, `00-${ids}`, `00-${ids}-1`, `00-${ids}-01-more`, `00-${ids}-01x`],
      ...[`ff-${ids}-01`, `0-${ids}-01`, `00-${ids.toUpperCase()}-01`, `00-${ids}-01,00-${ids}-01`],
      ...[`00-${"0".repeat(32)}-${parentId}-01`, `00-${traceId}-${"0".repeat(16)}-01`]
    ]
    for (const traceparent of [...valid, ...invalid]) {
      yield* call(url, "/", { headers: { traceparent } })
    }
    const spans = yield* arrived(valid.length + invalid.length)
    for (const span of spans.slice(0, valid.length)) {
      expect(span).toMatchObject({ traceId, parentSpanId: parentId })
    }
    for (const span of spans.slice(valid.length)) {
      expect(span.parentSpanId).toBeUndefined()
      expect([traceId, "0".repeat(32)]).not.toContain(span.traceId)
    }
  })

  live.each([
    { variable: "OTEL_EXPORTER_OTLP_ENDPOINT", given: "/base/", path: "/base/v1/traces" },
    { variable: "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", given: "/custom", path: "/custom" }
  ])("go to $path if $variable ends in $given", function* ({ given, path, variable }) {
    const receiver = yield* collector()
    const { exports, stopped, url } = yield* traced(
      {
        [variable]: `${receiver.url}${given}`,
        OTEL_RESOURCE_ATTRIBUTES: "service.name=pets,service.version=7,service.instance.id=one",
        PETSTORE_TRUSTED_HOPS: "1"
      },
      Effect.succeed(receiver)
    )
    yield* call(url, "/", { headers: { "X-Forwarded-For": "192.0.2.1" } })
    expect(yield* stopped).toMatchObject([{ attributes: { "client.address": "192.0.2.1" } }])
    const resource = {
      "service.name": "pets",
      "service.version": "7",
      "service.instance.id": "one"
    }
    expect(exports).toMatchObject([{ path, resource }])
  })

  live("are not made of probes", function* () {
    const { stopped, url } = yield* traced()
    for (const path of ["/healthz", "/readyz", "/"]) yield* call(url, path, from(traceId, "01"))
    expect((yield* stopped).map(({ name }) => name)).toEqual(["GET /"])
  })

  live("have the id that the log has, and are not exported if the caller's are not", function* () {
    const { program, stopped, url } = yield* traced()
    yield* call(url, "/v1/pets")
    for (const flags of ["01", "00", "02"]) yield* call(url, "/v1/pets", from(traceId, flags))
    const lines = yield* accessLog(program, 4)
    const roots = (yield* stopped).filter(isServer)
    expect(lines.slice(0, 2).map((line) => line["traceId"])).toEqual(
      roots.map((root) => root.traceId)
    )
    for (const line of lines.slice(1)) expect(line).toMatchObject({ traceId })
  })

  live("have the status error for failures of the service only", function* () {
    const { path, spans, url, arrived } = yield* traced({ DATABASE_URL: "" })
    yield* call(url, "/v1/pets/7")
    yield* call(url, "/v1/pets?limit=x")
    yield* call(url, "/v1/pets", { key: null })
    const headers = { "Idempotency-Key": "key" }
    for (const body of [rex, rex.replace("Rex", "Tom")]) {
      yield* call(url, "/v1/pets", { method: "POST", headers, body })
    }
    yield* call(url, "/nothing", { method: "PURGE" })
    const good = yield* arrived(6)
    expect(
      good.map(({ attributes, name, status }) => [
        name,
        attributes["http.response.status_code"],
        status.code
      ])
    ).toEqual([
      ["PetStore.get", undefined, unset],
      ["Pets.get", undefined, unset],
      ["GET /v1/pets/{petId}", 404, unset],
      ["GET /v1/pets", 400, unset],
      ["GET", 401, unset],
      ...[201, 422].flatMap((status) => [
        ["PetStore.addOnce", undefined, unset],
        ["Pets.add", undefined, unset],
        ["POST /v1/pets", status, unset]
      ]),
      ["HTTP", 404, unset]
    ])
    expect(good.flatMap(({ events }) => events)).toEqual([])
    expect(good.filter(({ attributes }) => "error.type" in attributes)).toEqual([])
    expect(good.at(-1)?.attributes).toMatchObject({
      "http.request.method": "_OTHER",
      "http.request.method_original": "PURGE"
    })
    const file = join(path, "data", "petstore.db")
    renameSync(file, `${file}.away`)
    yield* until(call(url, "/v1/pets"), (status) => status === 503)
    const all = yield* until(spans, (all) =>
      all.some(({ attributes }) => attributes["http.response.status_code"] === 503)
    )
    const failed = all.slice(-3)
    expect(failed.map(({ name, status }) => [name, status.code])).toEqual([
      ["PetStore.list", error],
      ["Pets.list", error],
      ["GET /v1/pets", error]
    ])
    expect(failed.at(-1)?.attributes).toMatchObject({ "error.type": "503" })
    for (const { attributes, events } of failed) {
      expect(events.map(({ name }) => name)).toEqual(["exception"])
      const names = Object.keys(attributes)
      expect(names.filter((name) => /^(?:span|status)\./.test(name))).toEqual([])
    }
  })

  live("say which service they are from, with the headers of the variables", function* () {
    const { arrived, exports, url } = yield* traced({
      OTEL_SERVICE_NAME: "pets",
      OTEL_RESOURCE_ATTRIBUTES: "service.name=other,deployment.environment.name=a%2Cb, team = x=y",
      OTEL_EXPORTER_OTLP_HEADERS: "api-key=se%20cret,x-tenant=7,authorization=Basic%20cGV0OnM=="
    })
    yield* call(url, "/")
    yield* arrived(1)
    expect(exports[0]?.resource).toEqual({
      "service.name": "pets",
      "service.version": expect.stringMatching(/^\d+\.\d+\.\d+$/),
      "service.instance.id": expect.stringMatching(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      "deployment.environment.name": "a,b",
      team: "x=y"
    })
    expect(exports[0]?.headers).toMatchObject({
      "api-key": "se cret",
      "x-tenant": "7",
      authorization: "Basic cGV0OnM=="
    })
  })

  live.each([
    { environment: { OTEL_SDK_DISABLED: "true" }, kept: 0 },
    { environment: { OTEL_TRACES_EXPORTER: "none" }, kept: 0 },
    { environment: sampledBy("always_off"), kept: 0 },
    { environment: sampledBy("always_on"), kept: 3 },
    { environment: sampledBy("traceidratio"), kept: 2 },
    { environment: sampledBy("parentbased_traceidratio"), kept: 1 }
  ])("are exported of $kept in three calls with $environment", function* ({ environment, kept }) {
    const { stopped, url } = yield* traced(environment)
    const [low, high] = [`${"1".repeat(16)}${"0".repeat(16)}`, "f".repeat(32)]
    yield* call(url, "/", from(low, "00"))
    yield* call(url, "/", from(low, "01"))
    yield* call(url, "/", from(high, "00"))
    expect(yield* stopped).toHaveLength(kept)
  })

  live("that start here are selected by their id, as in every other service", function* () {
    const { program, stopped, url } = yield* traced(sampledBy("parentbased_traceidratio"))
    for (let at = 0; at < 40; at++) yield* call(url, "/")
    const lines = yield* accessLog(program, 40)
    const ids = (yield* stopped).map((span) => span.traceId)
    expect(ids).not.toEqual([])
    // The log has no id of a trace that is not exported.
    expect(lines.flatMap((line) => line["traceId"] ?? [])).toEqual(ids)
    for (const id of ids) expect(id).toMatch(/^.{16}[0-7]/)
  })

  live("that were not exported yet are exported before the service ends", function* () {
    const { stopped, url } = yield* traced({ OTEL_BSP_SCHEDULE_DELAY: "600000" })
    yield* add(url)
    expect((yield* stopped).map(({ name }) => name)).toEqual([
      "PetStore.add",
      "Pets.add",
      "POST /v1/pets"
    ])
  })

  live("that are being exported when the service ends are exported nevertheless", function* () {
    let count = 0
    const { exports, stopped, url } = yield* traced(
      {},
      collector((response) => response.writeHead(++count === 1 ? 503 : 200).end())
    )
    yield* call(url, "/")
    yield* until(
      Effect.sync(() => count),
      (count) => count >= 1
    )
    yield* stopped
    expect(exports.map(({ spans }) => spans.map(({ name }) => name))).toEqual([
      ["GET /"],
      ["GET /"]
    ])
  })

  live("are sent again if the collector has not answered in time", function* () {
    const received = yield* Deferred.make<void>()
    let count = 0
    const receiver = yield* collector((response) => {
      if (++count > 1) return response.end()
      return Effect.runSync(Deferred.succeed(received, undefined))
    })
    let limits = 0
    // On this clock the first export takes too long once it was received, and no other.
    const clock: Clock.Clock = Object.assign(Clock.make(), {
      sleep: (duration: Duration.Duration) => {
        if (Duration.lessThan(duration, "10 minutes")) return real.sleep(duration)
        return limits++ === 0 ? Deferred.await(received) : Effect.never
      }
    })
    const { program, stopped, url } = yield* traced({}, Effect.succeed(receiver), clock)
    yield* call(url, "/")
    yield* until(
      Effect.sync(() => count),
      (count) => count > 1
    )
    expect((yield* stopped).map(({ name }) => name)).toEqual(["GET /", "GET /"])
    expect(warnings(program)).toEqual([])
  })

  live("are lost with one warning each time that the collector refuses them", function* () {
    let status = 500
    let count = 0
    const pauses: Array<number> = []
    const clock: Clock.Clock = Object.assign(Clock.make(), {
      sleep: (duration: Duration.Duration) => {
        pauses.push(Duration.toMillis(duration))
        return real.sleep(duration)
      }
    })
    const { program, spans, url } = yield* traced(
      { OTEL_EXPORTER_OTLP_HEADERS: "api-key=confidential" },
      collector((response) => {
        count++
        response.writeHead(status).end()
      }),
      clock
    )
    /** Refuses two exports, each of them three times. */
    const refuse = Effect.gen(function* () {
      const before = count
      for (const exported of [3, 6]) {
        yield* call(url, "/")
        yield* until(
          Effect.sync(() => count - before),
          (count) => count >= exported
        )
      }
    })
    yield* refuse
    expect(pauses).toEqual(expect.arrayContaining([500, 1000]))
    status = 200
    yield* call(url, "/v1/pets", from(traceId, "01"))
    yield* until(spans, (spans) => spans.some((span) => span.traceId === traceId))
    expect(warnings(program)).toEqual([expect.stringContaining("500")])
    status = 502
    yield* call(url, "/")
    const all = Effect.sync(() => warnings(program))
    expect((yield* until(all, ({ length }) => length > 1)).at(-1)).toContain("502")
    expect(program.stdout + program.stderr).not.toContain("confidential")
  })

  live("do not stop the service if there is no collector", function* () {
    // Nothing listens on the port of a server that has ended.
    const url = yield* Effect.scoped(Effect.map(collector(), ({ url }) => url))
    const started = yield* service({
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url}/v1/traces?token=confidential`,
      OTEL_BSP_SCHEDULE_DELAY: "20"
    })
    expect(yield* call(started.url, "/v1/pets")).toBe(200)
    yield* Effect.promise(() => started.program.until(/cannot export traces/))
    expect(yield* call(started.url, "/v1/pets")).toBe(200)
    const { code } = yield* Effect.promise(() => started.program.stop("SIGTERM"))
    expect(code).toBe(0)
    expect(warnings(started.program)).toEqual([expect.stringContaining(`${url}/v1/traces?***`)])
  })

  live("are no longer made while a collector does not answer", function* () {
    const { program, url } = yield* service({
      OTEL_EXPORTER_OTLP_ENDPOINT: yield* stranger(() => {}),
      OTEL_BSP_SCHEDULE_DELAY: "20",
      LOG_REQUESTS: "all",
      DATABASE_URL: "memory:"
    })
    const total = 900
    const statuses = yield* Effect.all(
      Array.from({ length: total }, () =>
        Effect.map(Calls.call(`${url}/v1/pets`, key), ({ status }) => status)
      ),
      { concurrency: 16 }
    )
    expect(new Set(statuses)).toEqual(new Set([200]))
    const lines = yield* accessLog(program, total)
    const count = lines.filter((line) => line["traceId"] !== undefined).length
    // Four exports of 512 spans, three of each request, and the requests in flight.
    expect(count).toBeGreaterThan(100)
    expect(count).toBeLessThan((4 * 512) / 3 + 100)
    expect(lines.at(-1)).not.toHaveProperty("traceId")
    const { code } = yield* Effect.promise(() => program.stop("SIGTERM"))
    expect(code).toBe(0)
  })

  live("hold no keys", function* () {
    const { arrived, exports, path, url } = yield* traced({ DATABASE_URL: "" })
    const { key: mine } = yield* createKey(path)
    const secret = mine.split("_")[2] ?? ""
    expect(secret.length).toBeGreaterThan(20)
    yield* call(url, `/v1/pets/${mine}?key=${mine}`, { headers: { "User-Agent": mine } })
    yield* call(url, "/v1/pets", { key: mine })
    yield* call(url, "/v1/pets", { key: mine, headers: { "X-Request-Id": mine } })
    const spans = yield* arrived(3)
    const text = JSON.stringify([spans, exports], (_, value) =>
      typeof value === "bigint" ? String(value) : value
    )
    expect(text).toContain(`pet_${mine.split("_")[1]}_***`)
    expect(text).not.toContain(secret)
    expect(text).not.toContain(key)
  })
})
