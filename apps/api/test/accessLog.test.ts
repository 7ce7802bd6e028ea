/** The log of requests, on the real process. */
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import Database from "better-sqlite3"
import { Clock, Duration, Effect, LogLevel } from "effect"
import * as AccessLog from "../src/observe/AccessLog.ts"
import { folder, live } from "./support/Folder.ts"
import { run, serve } from "./support/Program.ts"
import type { Running } from "./support/Running.ts"
import { linesOf as messagesOf } from "./support/ServerLog.ts"
import { createKey } from "./support/Stock.ts"

const pet = JSON.stringify({ name: "Rex", categoryId: 1 })
const withKey = (key: string) => ({
  Authorization: `Bearer ${key}`,
  "Content-Type": "application/json"
})

const ask = (url: string, target: string, init: RequestInit = {}) =>
  Effect.promise(async () => {
    const response = await fetch(`${url}${target}`, init)
    const { headers, status } = response
    return { headers, status, body: await response.text() }
  })

/** A server with a key in its database. */
const serving = (environment: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const path = yield* folder
    const { id, key } = yield* createKey(path)
    const { program, url } = yield* serve(path, environment)
    return { id, key, path, program, url }
  })

/** Stops the program and reads the lines about requests. */
const linesOf = (program: Running) =>
  Effect.map(
    Effect.promise(() => program.stop("SIGTERM")),
    ({ stdout }): Array<Record<string, unknown>> =>
      messagesOf(stdout, /./).filter(({ status }) => status !== undefined)
  )

live("a refused preflight is logged with its origin and the setting", function* () {
  const { key, program, url } = yield* serving({ LOG_REQUESTS: "all" })
  const preflight = (headers: Readonly<Record<string, string>>) =>
    ask(url, "/v1/pets", { method: "OPTIONS", headers })
  const asked = { "Access-Control-Request-Method": "POST" }
  yield* preflight({ Origin: "http://localhost:5173", ...asked })
  yield* preflight({ Origin: key, ...asked })
  yield* preflight({ Origin: "http://localhost:5173" })
  const [first, second, other] = yield* linesOf(program)
  expect(first).toMatchObject({
    message: "OPTIONS 401 because PETSTORE_CORS_ORIGINS does not list http://localhost:5173",
    origin: "http://localhost:5173",
    status: 401
  })
  expect(first).not.toHaveProperty("keyRefusal")
  expect(JSON.stringify(second)).not.toContain(key.slice(-39))
  expect(other).toMatchObject({ message: "OPTIONS 401", keyRefusal: "missing" })
})

live(
  "LOG_REQUESTS=all logs a line for each request, with its fields at the top level",
  function* () {
    const { id, key, program, url } = yield* serving({ LOG_REQUESTS: "all" })
    const headers = withKey(key)
    yield* ask(url, "/v1/pets?limit=5&status=sold&key=x", {
      headers: { ...headers, "X-Request-Id": "mine" }
    })
    yield* ask(url, "/v1/pets", { method: "POST", headers, body: pet })
    const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    yield* ask(url, "/v1/pets/1", { headers: { ...headers, traceparent } })
    yield* ask(url, "/v1/pets/1", { method: "HEAD", headers })
    yield* ask(url, "/healthz")
    yield* ask(url, "/n%C3%B6thing")
    const common = {
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      level: "info",
      durationMs: expect.any(Number),
      requestId: expect.stringMatching(/^[0-9a-f]{12}-\w+$/),
      clientAddress: "127.0.0.1"
    }
    const line = (method: string, path: string, status: number, bytes: number, more: object) => ({
      ...common,
      ...{ message: `${method} ${status}`, method, path, status, bytes },
      ...more
    })
    const onAll = { route: "/v1/pets", keyId: id }
    const onOne = { route: "/v1/pets/{petId}", keyId: id }
    const traceId = "4bf92f3577b34da6a3ce929d0e0e4736"
    expect(yield* linesOf(program)).toEqual([
      line("GET", "/v1/pets", 200, 2, {
        ...onAll,
        requestId: "mine",
        parameters: { limit: 5, status: "sold" }
      }),
      line("POST", "/v1/pets", 201, 36, { ...onAll, location: "/v1/pets/1" }),
      line("GET", "/v1/pets/1", 200, 36, { ...onOne, traceId }),
      line("HEAD", "/v1/pets/1", 200, 0, onOne),
      line("GET", "/healthz", 200, 15, { route: "/healthz" }),
      line("GET", "/n%C3%B6thing", 404, 75, {
        code: "not_found",
        reason: "there is nothing at this path"
      })
    ])
  }
)

live("LOG_REQUESTS=writes logs errors and what may change something", function* () {
  const { key, program, url } = yield* serving({
    LOG_REQUESTS: "writes",
    LOG_SLOW_MILLISECONDS: "600000"
  })
  const headers = withKey(key)
  yield* ask(url, "/v1/pets", { headers })
  yield* ask(url, "/v1/pets", { method: "HEAD", headers })
  yield* ask(url, "/v1/pets", { method: "OPTIONS", headers })
  const once = { method: "POST", headers: { ...headers, "idempotency-key": "once" }, body: pet }
  yield* ask(url, "/v1/pets", once)
  yield* ask(url, "/v1/pets", once)
  yield* ask(url, "/v1/pets/7", { headers })
  yield* ask(url, "/v1/pets?limit=x", { headers })
  const logged = yield* linesOf(program)
  // The second adds nothing.
  expect(logged[1]).not.toHaveProperty("location")
  expect(logged).toMatchObject([
    { method: "POST", status: 201, location: "/v1/pets/1" },
    { method: "POST", status: 201 },
    { method: "GET", status: 404, code: "pet_not_found" },
    {
      method: "GET",
      status: 400,
      code: "invalid_parameter",
      reason: "limit must be a whole number from 1 to 100"
    }
  ])
})

it("the number of requests without a key is logged once a minute", () => {
  let now = 0n
  const clock = Object.assign(Clock.make(), { unsafeCurrentTimeNanos: () => now })
  const messages: Array<string> = []
  const log = {
    mask: (text: string) => text,
    write: ({ message }: { readonly message: string }) => messages.push(message)
  }
  const config = {
    logLevel: LogLevel.Info,
    logRequests: "errors",
    slowRequest: Duration.minutes(9)
  }
  const observer = AccessLog.make({ ...config, trustedHops: 0 } as never, log as never, clock)
  const refuse = (times: number, method = "GET", headers = {}) => {
    const request = { method, headers, socket: {} }
    const exchange = {
      notes: { keyRefusal: "missing" },
      path: "/v1/pets",
      request,
      startedAt: performance.now()
    }
    for (let nth = 0; nth < times; nth++)
      observer?.onAnswer?.(exchange as never, { status: 401, headers: [] })
  }
  refuse(500)
  now += 60_000_000_000n
  refuse(500)
  now += 600_000_000_000n
  refuse(500)
  // Preflights are counted apart.
  refuse(500, "OPTIONS", { origin: "https://a.test", "access-control-request-method": "GET" })
  const foreign = "OPTIONS 401 because PETSTORE_CORS_ORIGINS does not list https://a.test"
  const later = "GET 401 and 499 others without a key since the last line"
  expect(messages).toEqual(["GET 401", later, later, foreign])
})

live("a request that takes long is logged whatever its status, unless none is", function* () {
  for (const [LOG_REQUESTS, count] of [
    ["errors", 1],
    ["none", 0]
  ] as const) {
    const { key, path, program, url } = yield* serving({
      LOG_REQUESTS,
      LOG_SLOW_MILLISECONDS: "100"
    })
    yield* ask(url, "/v1/pets", { headers: withKey(key) })
    const other = new Database(join(path, "data", "petstore.db"))
    other.exec("BEGIN IMMEDIATE")
    const started = performance.now()
    const adding = yield* Effect.fork(
      ask(url, "/v1/pets", { method: "POST", headers: withKey(key), body: pet })
    )
    // The request may arrive late.
    yield* Effect.sleep("1 second")
    other.exec("ROLLBACK")
    other.close()
    expect((yield* adding).status).toBe(201)
    const elapsed = performance.now() - started
    // The list may have been slow as well, on a busy machine.
    const lines = (yield* linesOf(program)).filter(({ method }) => method === "POST")
    expect(lines).toHaveLength(count)
    for (const { durationMs } of lines) {
      expect(durationMs).toBeGreaterThanOrEqual(100)
      expect(durationMs).toBeLessThan(elapsed)
    }
  }
})

live("logs why keys were refused, and no key", function* () {
  const path = yield* folder
  const revoked = yield* createKey(path)
  yield* run(path, ["keys", "revoke", revoked.id])
  const expired = yield* createKey(path, { expires: "1 second" })
  const rotated = yield* createKey(path)
  yield* run(path, ["keys", "rotate", rotated.id, "--overlap", "0s"])
  yield* Effect.sleep("1 second")
  const configured = "a-key-of-the-environment"
  const { program, url } = yield* serve(path, {
    LOG_REQUESTS: "all",
    PETSTORE_TRUSTED_HOPS: "1",
    PETSTORE_API_KEYS: configured
  })
  const forwarded = { "X-Forwarded-For": "198.51.100.7, 203.0.113.9" }
  const keys = [`${revoked.key}x`, revoked.key, expired.key, rotated.key]
  for (const key of keys) {
    yield* ask(url, "/v1/pets", { headers: { ...withKey(key), ...forwarded } })
    yield* ask(url, `/v1/pets/${key}`, { headers: { ...withKey(key), ...forwarded } })
  }
  yield* ask(url, "/v1/pets", { headers: forwarded })
  const [secret = ""] = revoked.key.match(/[0-9a-v]{39}$/) ?? []
  yield* ask(url, `/v1/pets/${revoked.key.replaceAll("_", "%5F")}`)
  yield* ask(url, `/${configured}`, { headers: { "X-Request-Id": revoked.key } })
  yield* ask(url, "/none", { headers: { "X-Request-Id": configured } })
  yield* ask(url, `/${`x/`.repeat(140)}${configured}${"x".repeat(300)}`)
  const lines = yield* linesOf(program)
  expect(program.stdout).not.toContain(secret)
  expect(program.stdout).not.toContain(configured.slice(0, 16))
  const odd = lines.splice(-4)
  expect(odd).toHaveLength(4)
  expect(odd[3]?.["path"]).toHaveLength(300)
  expect(
    lines
      .filter(({ path }) => path === "/v1/pets")
      .map(({ clientAddress, keyId, keyRefusal, status }) => [
        status,
        keyRefusal,
        keyId,
        clientAddress
      ])
  ).toEqual([
    [401, "unknown", undefined, "203.0.113.9"],
    [401, "revoked", revoked.id, "203.0.113.9"],
    [401, "expired", expired.id, "203.0.113.9"],
    [401, "rotated", rotated.id, "203.0.113.9"],
    [401, "missing", undefined, "203.0.113.9"]
  ])
  expect(lines).toHaveLength(9)
  for (const key of keys) {
    const secret = key.slice("pet_0123456789_".length, -2)
    expect(program.stdout + program.stderr).not.toContain(secret.slice(0, 16))
  }
})

describe("the log at level debug", () => {
  live("has no failed fiber for ordinary refusals", function* () {
    const { key, program, url } = yield* serving({
      LOG_LEVEL: "debug",
      PETSTORE_RATE_LIMIT: "5/1m",
      PETSTORE_MAX_BODY_BYTES: "100"
    })
    const headers = withKey(key)
    const statuses = [
      yield* ask(url, "/v1/pets"),
      yield* ask(url, "/v1/pets", { method: "DELETE", headers }),
      yield* ask(url, "/v1/pets", { method: "POST", headers, body: "x".repeat(101) }),
      yield* ask(url, "/v1/pets", { method: "POST", headers, body: "{}" }),
      yield* ask(url, "/v1/pets/7", { headers }),
      yield* ask(url, "/v1/none", { headers }),
      yield* ask(url, "/v1/pets", { headers })
    ].map(({ status }) => status)
    expect(statuses).toEqual([401, 405, 413, 400, 404, 404, 429])
    yield* ask(url, "/readyz")
    const { stdout } = yield* Effect.promise(() => program.stop("SIGTERM"))
    expect(stdout).not.toMatch(/unhandled|Fiber terminated/)
    expect(stdout).not.toMatch(/"(?:annotations|spans|fiberId)"/)
  })

  live("has the cause of a failure, with the caller's request id and no key", function* () {
    const { id, key, path, program, url } = yield* serving({ LOG_LEVEL: "debug" })
    const other = new Database(join(path, "data", "petstore.db"))
    other.exec("DROP TABLE pets")
    other.close()
    const response = yield* ask(url, "/v1/pets", { headers: withKey(key) })
    expect(response.status).toBe(503)
    expect(response.body).not.toMatch(/SQLITE|table|petstore\.db/)
    const headers = { ...withKey(key), "X-Request-Id": key }
    expect((yield* ask(url, "/v1/pets", { headers })).headers.get("x-request-id")).toBe(key)
    const { stdout } = yield* Effect.promise(() => program.stop("SIGTERM"))
    const requestId = response.headers.get("x-request-id")
    expect(messagesOf(stdout, /cause of a refusal/)).toMatchObject([
      { level: "debug", requestId, cause: expect.stringMatching(/no such table: pets.*at /s) },
      { level: "debug", requestId: `pet_${id}_***` }
    ])
    expect(stdout).not.toContain(key.slice(-39))
  })
})
