/** The log of requests, on the real process. */

import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import Database from "better-sqlite3"
import { Effect, Schedule } from "effect"
import { folder } from "./support/Folder.ts"
import { run, start } from "./support/Program.ts"
import type { Running } from "./support/Running.ts"
import { linesOf as messagesOf } from "./support/ServerLog.ts"
import { stranger } from "./support/Service.ts"
import { createKey } from "./support/Stock.ts"

const pet = JSON.stringify({ name: "Rex", categoryId: 1 })
const withKey = (key: string) => ({
  Authorization: `Bearer ${key}`,
  "Content-Type": "application/json"
})

const ask = (url: string, target: string, init: RequestInit = {}) =>
  Effect.promise(async () => {
    const response = await fetch(`${url}${target}`, init)
    await response.text()
    return response
  })

/** A server with a key in its database. */
const serving = (environment: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const path = yield* folder
    const { id, key } = yield* createKey(path)
    const program = yield* start(path, environment)
    const url = yield* Effect.promise(() => program.url())
    return { id, key, path, program, url }
  })

/** Stops the program and reads the lines about requests. */
const linesOf = (program: Running) =>
  Effect.map(
    Effect.promise(() => program.stop("SIGTERM")),
    ({ stdout }): Array<Record<string, unknown>> =>
      stdout
        .trimEnd()
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line))
        .filter(({ status }) => status !== undefined)
  )

describe.concurrent("a preflight from an origin that is not allowed", () => {
  it.scopedLive.each([
    { PETSTORE_CORS_ORIGINS: "https://app.example.org" },
    { PETSTORE_CORS_ORIGINS: "" }
  ])("is logged with the origin and the setting, not as a missing key: %o", (environment) =>
    Effect.gen(function* () {
      const { key, program, url } = yield* serving(environment)
      const preflight = (headers: Readonly<Record<string, string>>) =>
        ask(url, "/v1/pets", { method: "OPTIONS", headers })
      const asked = { "Access-Control-Request-Method": "POST" }
      yield* preflight({ Origin: "http://localhost:5173", ...asked })
      yield* preflight({ Origin: key, ...asked })
      yield* preflight({ Origin: "http://localhost:5173" })
      const [first, second, other] = yield* linesOf(program)
      expect(first).toMatchObject({
        message:
          "OPTIONS /v1/pets 401 because PETSTORE_CORS_ORIGINS does not have http://localhost:5173",
        origin: "http://localhost:5173",
        status: 401
      })
      expect(first).not.toHaveProperty("keyRefusal")
      expect(JSON.stringify(second)).not.toContain(key.slice(-39))
      expect(other).toMatchObject({ message: "OPTIONS /v1/pets 401", keyRefusal: "missing" })
    })
  )
})

describe.concurrent("LOG_REQUESTS=all", () => {
  it.scopedLive("logs a line for each request, with its fields at the top level", () =>
    Effect.gen(function* () {
      const { id, key, program, url } = yield* serving({ LOG_REQUESTS: "all" })
      const headers = withKey(key)
      yield* ask(url, "/v1/pets?limit=5", { headers: { ...headers, "X-Request-Id": "mine" } })
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
      const one = { route: "/v1/pets/{petId}", path: "/v1/pets/1", status: 200, keyId: id }
      expect(yield* linesOf(program)).toEqual([
        {
          ...common,
          message: "GET /v1/pets 200",
          method: "GET",
          route: "/v1/pets",
          path: "/v1/pets",
          status: 200,
          bytes: 2,
          keyId: id,
          requestId: "mine"
        },
        {
          ...common,
          message: "POST /v1/pets 201",
          method: "POST",
          route: "/v1/pets",
          path: "/v1/pets",
          status: 201,
          bytes: 36,
          keyId: id
        },
        {
          ...common,
          ...one,
          message: "GET /v1/pets/1 200",
          method: "GET",
          bytes: 36,
          traceId: "4bf92f3577b34da6a3ce929d0e0e4736"
        },
        { ...common, ...one, message: "HEAD /v1/pets/1 200", method: "HEAD", bytes: 0 },
        {
          ...common,
          message: "GET /healthz 200",
          method: "GET",
          route: "/healthz",
          path: "/healthz",
          status: 200,
          bytes: 15
        },
        {
          ...common,
          message: "GET /n%C3%B6thing 404",
          method: "GET",
          path: "/n%C3%B6thing",
          status: 404,
          bytes: 75
        }
      ])
    })
  )

  it.scopedLive("logs lines for people and as logfmt, too", () =>
    Effect.gen(function* () {
      for (const [format, pattern] of [
        [
          "pretty",
          /^\d\d:\d\d:\d\d\.\d{3} INFO {2}GET \/v1\/pets 401 {2}durationMs=\S+ bytes=\d+ keyRefusal=missing /m
        ],
        [
          "logfmt",
          /^timestamp=\S+ level=info message="GET \/v1\/pets 401" method=GET .*status=401 /m
        ]
      ] as const) {
        const { program, url } = yield* serving({ LOG_REQUESTS: "all", LOG_FORMAT: format })
        yield* ask(url, "/v1/pets")
        const { stdout } = yield* Effect.promise(() => program.stop("SIGTERM"))
        expect(stdout).toMatch(pattern)
      }
    })
  )
})

describe.concurrent("LOG_REQUESTS=errors, the default", () => {
  it.scopedLive(
    "logs refused keys with the reason, the id and the address, never with the key",
    () =>
      Effect.gen(function* () {
        const path = yield* folder
        const revoked = yield* createKey(path)
        yield* run(path, ["keys", "revoke", revoked.id])
        const expired = yield* createKey(path, { expires: "1 second" })
        const rotated = yield* createKey(path)
        yield* run(path, ["keys", "rotate", rotated.id, "--overlap", "0s"])
        yield* Effect.sleep("1 second")
        const configured = "a-key-of-the-environment"
        const program = yield* start(path, {
          PETSTORE_TRUSTED_HOPS: "1",
          PETSTORE_API_KEYS: configured
        })
        const url = yield* Effect.promise(() => program.url())
        const forwarded = { "X-Forwarded-For": "198.51.100.7, 203.0.113.9" }
        const keys = [`${revoked.key}x`, revoked.key, expired.key, rotated.key]
        for (const key of keys) {
          yield* ask(url, "/v1/pets", { headers: { ...withKey(key), ...forwarded } })
          yield* ask(url, `/v1/pets/${key}`, { headers: { ...withKey(key), ...forwarded } })
        }
        yield* ask(url, "/v1/pets", { headers: forwarded })
        yield* ask(url, "/healthz")
        const [secret = ""] = revoked.key.match(/[0-9a-v]{39}$/) ?? []
        yield* ask(url, `/v1/pets/${revoked.key.replaceAll("_", "%5F")}`)
        yield* ask(url, `/${configured}`, { headers: { "X-Request-Id": revoked.key } })
        yield* ask(url, "/none", { headers: { "X-Request-Id": configured } })
        yield* ask(url, `/${`x/`.repeat(140)}${configured}`)
        const lines = yield* linesOf(program)
        expect(program.stdout).not.toContain(secret)
        expect(program.stdout).not.toContain(configured.slice(0, 16))
        expect(lines.splice(-4)).toHaveLength(4)
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
  )
})

describe.concurrent("LOG_REQUESTS=none, or a level above info", () => {
  it.scopedLive.each([{ LOG_REQUESTS: "none" }, { LOG_REQUESTS: "all", LOG_LEVEL: "warn" }])(
    "logs no request with %o",
    (environment) =>
      Effect.gen(function* () {
        const { port } = new URL(yield* stranger(() => {}))
        // With LOG_LEVEL=warn the program does not say where it listens, so the port is chosen here.
        const free = String(Number(port) > 40_000 ? Number(port) - 20_000 : Number(port) + 20_000)
        const program = yield* start(yield* folder, { ...environment, PORT: free })
        yield* Effect.tryPromise(() => fetch(`http://127.0.0.1:${free}/v1/pets`)).pipe(
          Effect.filterOrFail(({ status }) => status === 401),
          Effect.retry({ times: 400, schedule: Schedule.spaced("50 millis") })
        )
        expect(yield* linesOf(program)).toEqual([])
      })
  )
})

describe.concurrent("the log at level debug", () => {
  it.scopedLive("has no failed fiber for ordinary refusals", () =>
    Effect.gen(function* () {
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
  )

  it.scopedLive(
    "has the cause of a failure, with the id that the caller was given and no key",
    () =>
      Effect.gen(function* () {
        const { id, key, path, program, url } = yield* serving({ LOG_LEVEL: "debug" })
        const other = new Database(join(path, "data", "petstore.db"))
        other.exec("DROP TABLE pets")
        other.close()
        const response = yield* ask(url, "/v1/pets", { headers: withKey(key) })
        expect(response.status).toBe(503)
        const headers = { ...withKey(key), "X-Request-Id": key }
        expect((yield* ask(url, "/v1/pets", { headers })).headers.get("x-request-id")).toBe(key)
        const { stdout } = yield* Effect.promise(() => program.stop("SIGTERM"))
        const requestId = response.headers.get("x-request-id")
        expect(messagesOf(stdout, /refused/)).toMatchObject([
          { level: "warn", requestId, message: expect.stringContaining("no such table: pets") }
        ])
        expect(messagesOf(stdout, /cause of a refusal/)).toMatchObject([
          { level: "debug", requestId, cause: expect.stringMatching(/no such table: pets.*at /s) },
          { level: "debug", requestId: `pet_${id}_***` }
        ])
        expect(stdout).not.toContain(key.slice(-39))
      })
  )
})
