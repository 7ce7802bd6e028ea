/** Settings as operators give them, from their names to what is said of invalid ones. */
import { describe, expect, it } from "@effect/vitest"
import { ConfigProvider, Duration, Effect, Either, LogLevel } from "effect"
import { duration } from "../src/cli/Parse.ts"
import { AppConfig } from "../src/settings/AppConfig.ts"
import { examine } from "./support/Doctor.ts"
import { folder, live } from "./support/Folder.ts"
import { serve } from "./support/Program.ts"
import { linesOf } from "./support/ServerLog.ts"

const misspelt = {
  PETSTORE_RATELIMIT: "600/1m",
  PETSTORE_LOG_LEVEL: "debug",
  PETSTORE_NO_SUCH_THING_AT_ALL: "pet_secret"
}

describe("a variable that is named like a setting and is none", () => {
  live("is a warning of petstore doctor, which names the setting that was meant", function* () {
    const path = yield* folder
    const { code, findings, of } = yield* examine(path, misspelt)
    expect(code).toBe(0)
    expect(of("configuration")).toEqual(
      [
        ["PETSTORE_LOG_LEVEL", "did you mean LOG_LEVEL?"],
        ["PETSTORE_NO_SUCH_THING_AT_ALL", "petstore config prints all settings"],
        ["PETSTORE_RATELIMIT", "did you mean PETSTORE_RATE_LIMIT?"]
      ].map(([name, fix]) => ({
        subject: "configuration",
        state: "warning",
        message: `${name} is not a setting, so it has no effect`,
        fix
      }))
    )
    expect(JSON.stringify(findings)).not.toContain("pet_secret")
  })

  live("is reported beside invalid ones", function* () {
    const path = yield* folder
    const environment = { PORT: "x", PETSTORE_PORT_2: "x", PETSTORE_TRUSTED_HOP: "2" }
    const { of } = yield* examine(path, environment)
    expect(of("configuration")).toMatchObject([
      { state: "bad" },
      { state: "warning", message: expect.stringMatching(/^PETSTORE_PORT_2 is not a setting/) },
      { state: "warning", fix: "did you mean PETSTORE_TRUSTED_HOPS?" }
    ])
  })

  live("is logged once at the start", function* () {
    const path = yield* folder
    const { program: server } = yield* serve(path, misspelt)
    expect(linesOf(server.stdout, /is not a setting/)).toMatchObject([
      { level: "warn", message: expect.stringMatching(/^PETSTORE_LOG_LEVEL .* LOG_LEVEL\?$/) },
      { level: "warn", message: expect.stringMatching(/^PETSTORE_NO_SUCH_THING_AT_ALL /) },
      { level: "warn", message: expect.stringMatching(/^PETSTORE_RATELIMIT .*RATE_LIMIT\?$/) }
    ])
    expect(server.stdout).not.toContain("pet_secret")
  })
})

live.each([
  { environment: { PETSTORE_TEST_POSTGRES: "x" }, owner: "tests" },
  { environment: { PETSTORE_RATELIMIT: "" }, owner: "Compose, for one that is not set," },
  {
    environment: {
      PETSTORE_SERVICE_HOST: "10.0.0.1",
      PETSTORE_SERVICE_PORT_HTTP: "80",
      PETSTORE_PORT: "tcp://10.0.0.1:80",
      PETSTORE_PORT_80_TCP_ADDR: "10.0.0.1"
    },
    owner: "Kubernetes"
  }
])("a variable that others set is none of ours: $owner", function* ({ environment }) {
  const path = yield* folder
  const { of } = yield* examine(path, environment)
  expect(of("configuration")).toMatchObject([{ state: "good" }])
})

/** The settings of each process. */
const configured = (environment: Readonly<Record<string, string>>) =>
  Effect.withConfigProvider(AppConfig, ConfigProvider.fromJson(environment))

live("a rate limit is none unless it is set", function* () {
  const limitOf = (text: string) =>
    Effect.map(configured({ PETSTORE_RATE_LIMIT: text }), ({ rateLimit }) => rateLimit)
  expect(yield* limitOf("600/1m")).toEqual({ count: 600, window: Duration.minutes(1) })
  expect(yield* limitOf("")).toBeUndefined()
})

live("times are in the unit of their variable, and words in any case", function* () {
  const given = {
    ...{
      LOG_SLOW_MILLISECONDS: "20",
      OTEL_BSP_SCHEDULE_DELAY: "30",
      OTEL_EXPORTER_OTLP_TIMEOUT: "40"
    },
    ...{ PETSTORE_PRESTOP_SECONDS: "1", PETSTORE_DRAIN_SECONDS: "2" },
    ...{ PETSTORE_REQUEST_TIMEOUT_SECONDS: "3", PETSTORE_KEEP_ALIVE_SECONDS: "4" },
    ...{ PETSTORE_SEND_TIMEOUT_SECONDS: "5", PETSTORE_START_TIMEOUT_SECONDS: "6" },
    ...{ LOG_LEVEL: "Warning", LOG_FORMAT: "Json", LOG_REQUESTS: "ALL" }
  }
  expect(yield* configured(given)).toMatchObject({
    slowRequest: Duration.millis(20),
    exportInterval: Duration.millis(30),
    otlpTimeout: Duration.millis(40),
    prestop: Duration.seconds(1),
    drainTimeout: Duration.seconds(2),
    requestTimeout: Duration.seconds(3),
    keepAliveTimeout: Duration.seconds(4),
    sendTimeout: Duration.seconds(5),
    startTimeout: Duration.seconds(6),
    logLevel: LogLevel.Warning,
    logFormat: "json",
    logRequests: "all"
  })
})

live.each([
  { pid: process.pid, count: 1, fd: 3 },
  { pid: process.pid, count: 2, fd: 3 },
  { pid: process.ppid, count: 1, fd: undefined },
  { pid: process.pid, count: 0, fd: undefined },
  // They were meant for a process that started this one.
  { pid: 1e9, count: 1, fd: undefined }
])("$count sockets for process $pid are the descriptor $fd", function* ({ count, fd, pid }) {
  const environment = { LISTEN_PID: String(pid), LISTEN_FDS: String(count) }
  expect((yield* configured(environment)).fd).toBe(fd)
})

const mebibyte = 1024 * 1024

live.each([
  ["PORT", 0, 65_535],
  ["PETSTORE_METRICS_PORT", 0, 65_535],
  ["PETSTORE_CACHE_BYTES", 0, 1024 * mebibyte],
  ["PETSTORE_POOL_SIZE", 1, 1000],
  ["PETSTORE_TRUSTED_HOPS", 0, 10],
  ["PETSTORE_MAX_IN_FLIGHT", 1, 1_000_000],
  ["PETSTORE_MAX_CONNECTIONS", 1, 1_000_000],
  ["PETSTORE_MAX_BODY_BYTES", 1, 64 * mebibyte],
  ["PETSTORE_START_TIMEOUT_SECONDS", 0, 3600],
  ["PETSTORE_REQUEST_TIMEOUT_SECONDS", 1, 3600],
  ["PETSTORE_KEEP_ALIVE_SECONDS", 1, 3600],
  ["PETSTORE_SEND_TIMEOUT_SECONDS", 1, 3600],
  ["PETSTORE_PRESTOP_SECONDS", 0, 3600],
  ["PETSTORE_DRAIN_SECONDS", 1, 3600],
  ["LOG_SLOW_MILLISECONDS", 1, 600_000],
  ["OTEL_EXPORTER_OTLP_TIMEOUT", 1, 600_000],
  ["OTEL_BSP_SCHEDULE_DELAY", 10, 600_000]
] as const)("%s is from %d to %d", function* ([name, from, to]) {
  const isValid = (value: number) => Effect.isSuccess(configured({ [name]: String(value) }))
  const values = [from - 1, from, to, to + 1]
  expect(yield* Effect.forEach(values, isValid)).toEqual([false, true, true, false])
})

live.each([
  { PETSTORE_RATE_LIMIT: "1/1s" },
  { PETSTORE_RATE_LIMIT: "1000000000/36600d" },
  { PETSTORE_API_KEYS: "sixteen-letters-, seventeen-letters" },
  { PETSTORE_CORS_ORIGINS: "https://a.example, http://b.example:8080" },
  ...["0", "1", "1.00", "0.", ".5"].map((share) => ({ OTEL_TRACES_SAMPLER_ARG: share }))
])("%j is valid", function* (environment) {
  expect(Object.keys(yield* configured(environment))).toContain("port")
})

live.each([
  { PETSTORE_RATE_LIMIT: "0/1m" },
  { PETSTORE_RATE_LIMIT: "1/0s" },
  { PETSTORE_RATE_LIMIT: "1000000001/1m" },
  { PETSTORE_API_KEYS: "fifteen-letters" },
  { PETSTORE_API_KEYS: "sixteen-letters-,fifteen-letters" },
  { PETSTORE_CORS_ORIGINS: "https://a.example/path" },
  { PETSTORE_BASE_URL: "https://pets.example//other" },
  ...["1.1", "2", "-0"].map((share) => ({ OTEL_TRACES_SAMPLER_ARG: share })),
  { OTEL_EXPORTER_OTLP_ENDPOINT: "http://me:secret@collector" }
])("%j is invalid", function* (environment) {
  expect(yield* Effect.isFailure(configured(environment))).toBe(true)
})

live("levels have their own names", function* () {
  const names = ["trace", "debug", "info", "warn", "warning", "error", "fatal", "none"]
  const levels = yield* Effect.forEach(names, (name) => configured({ LOG_LEVEL: name }))
  expect(levels.map(({ logLevel }) => logLevel.label)).toEqual([
    ...["TRACE", "DEBUG", "INFO", "WARN", "WARN", "ERROR", "FATAL", "OFF"]
  ])
})

live("a base URL has the prefix once, at the end of its path", function* () {
  for (const [given, url, path] of [
    ["https://pets.example", "https://pets.example/v1", "/v1"],
    ["https://pets.example/shop/v1/", "https://pets.example/shop/v1", "/shop/v1"],
    ["https://pets.example/v1/shop", "https://pets.example/v1/shop/v1", "/v1/shop/v1"]
  ] as const) {
    const { basePath, baseUrl } = yield* configured({ PETSTORE_BASE_URL: given })
    expect([baseUrl, basePath]).toEqual([url, path])
  }
})

it("a duration is a number with a unit, of at most 36,600 days", () => {
  for (const [text, expected] of [
    ["90s", Duration.seconds(90)],
    ["15m", Duration.minutes(15)],
    ["12h", Duration.hours(12)],
    ["36600d", Duration.days(36_600)],
    ["2w", Duration.weeks(2)]
  ] as const) {
    expect(duration(text)).toEqual(Either.right(expected))
  }
  for (const text of ["36601d", "1", "d", "1y", "1.5h"]) {
    expect(Either.isLeft(duration(text))).toBe(true)
  }
})
