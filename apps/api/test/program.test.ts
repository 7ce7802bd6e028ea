import { closeSync, existsSync, mkdirSync, openSync, truncateSync, writeFileSync } from "node:fs"
import { connect, createServer } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "@effect/vitest"
import Database from "better-sqlite3"
import { Effect, Schedule } from "effect"
import { folder } from "./support/Folder.ts"
import { until } from "./support/Observed.ts"
import * as Process from "./support/Process.ts"
import { run, start } from "./support/Program.ts"
import { stranger } from "./support/Service.ts"

const withKey = (key: string) => ({
  Authorization: `Bearer ${key}`,
  "Content-Type": "application/json"
})
const add = (url: string, key: string, name: string) =>
  Effect.promise(() =>
    fetch(`${url}/v1/pets`, {
      method: "POST",
      headers: withKey(key),
      body: JSON.stringify({ name, categoryId: 1 })
    })
  )
const list = (url: string, key: string) =>
  Effect.promise(async () => {
    const answer = await fetch(`${url}/v1/pets?limit=100`, { headers: withKey(key) })
    return (await answer.json()) as ReadonlyArray<{ readonly id: number; readonly name: string }>
  })

describe.concurrent("the program with no configuration", () => {
  it.scopedLive("says how to create a key, and prints none where it could be kept", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const program = yield* start(path)
      yield* Effect.promise(() => program.url())
      expect(program.stderr).toBe("")
      expect(program.stdout).toContain(
        '"level":"warn","message":"there is no API key yet: run petstore keys create --name <name>"'
      )
      expect(program.stdout).not.toContain("pet_")
      const { stdout } = yield* run(path, ["keys", "list"])
      expect(stdout).toBe("")
      yield* run(path, ["keys", "create", "--name", "first"])
      const again = yield* start(path)
      yield* Effect.promise(() => again.url())
      expect(again.stdout).not.toContain("API key")
    })
  )

  it.scopedLive("says how to get a key in memory, where commands cannot create one", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const DATABASE_URL = "memory:"
      const program = yield* start(path, { DATABASE_URL })
      yield* Effect.promise(() => program.url())
      expect(program.stdout).toContain(
        '"message":"there is no API key yet: set PETSTORE_API_KEYS, or PETSTORE_PRINT_FIRST_KEY to true"'
      )
      expect(program.stdout).not.toContain("petstore keys")
      const told = yield* start(path, { DATABASE_URL, PETSTORE_PRINT_FIRST_KEY: "true" })
      const url = yield* Effect.promise(() => told.url())
      const key = yield* Effect.promise(() => told.until(/Bearer (pet_\w+)/))
      expect(yield* list(url, key)).toEqual([])
    })
  )

  it.scopedLive("creates the database and a key, and prints a curl command that works", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const program = yield* start(path, { PETSTORE_PRINT_FIRST_KEY: "true" })
      const url = yield* Effect.promise(() => program.url())
      expect(existsSync(join(path, "data", "petstore.db"))).toBe(true)
      const [, key = "", target = ""] =
        /curl -H 'Authorization: Bearer (\S+)' (\S+)/.exec(program.stderr) ?? []
      expect(target).toBe(`${url}/v1/pets`)
      expect(key).toMatch(/^pet_[0-9a-v]{10}_[0-9a-v]{39}$/)
      expect(program.stderr.split(key)).toHaveLength(3)
      const answer = yield* Effect.promise(() => fetch(target, { headers: withKey(key) }))
      expect(answer.status).toBe(200)
      // The key is printed to standard error, not logged.
      expect(program.stdout).not.toContain(key)
      yield* Effect.promise(() => program.stop("SIGTERM"))

      const again = yield* start(path)
      const next = yield* Effect.promise(() => again.url())
      expect(again.stderr).toBe("")
      expect((yield* add(next, key, "Rex")).status).toBe(201)
    })
  )
})

describe("the bin of the package", () => {
  it.scopedLive("is the program", () =>
    Effect.gen(function* () {
      const bin = fileURLToPath(new URL("../bin/petstore.js", import.meta.url))
      const { stdout } = yield* Process.run(yield* folder, ["--version"], { program: [bin] })
      expect(stdout).toBe("1.0.0\n")
    })
  )
})

describe.concurrent("the program with keys in the environment", () => {
  it.scopedLive("accepts each of them, prints none, and issues none", () =>
    Effect.gen(function* () {
      const program = yield* start(yield* folder, {
        DATABASE_URL: "memory:",
        PETSTORE_API_KEYS: "the-first-of-two, the-second-of-two"
      })
      const url = yield* Effect.promise(() => program.url())
      expect((yield* add(url, "the-first-of-two", "Rex")).status).toBe(201)
      expect(yield* list(url, "the-second-of-two")).toEqual([{ id: 1, name: "Rex", categoryId: 1 }])
      expect((yield* add(url, "the-third-of-none", "Tom")).status).toBe(401)
      yield* Effect.promise(() => program.stop("SIGTERM"))
      expect(program.stderr).toBe("")
      expect(program.stdout).not.toMatch(/the-first|the-second|the-third/)
    })
  )

  it.scopedLive("accepts a request timeout that is shorter than the one for headers", () =>
    Effect.gen(function* () {
      const program = yield* start(yield* folder, {
        DATABASE_URL: "memory:",
        PETSTORE_API_KEYS: "the-key-of-the-tests",
        PETSTORE_REQUEST_TIMEOUT_SECONDS: "2"
      })
      const url = yield* Effect.promise(() => program.url())
      expect(yield* list(url, "the-key-of-the-tests")).toEqual([])
    })
  )

  it.scopedLive("logs why the store failed, and does not tell the client", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const program = yield* start(path, { PETSTORE_API_KEYS: "the-key-of-the-tests" })
      const url = yield* Effect.promise(() => program.url())
      expect((yield* add(url, "the-key-of-the-tests", "x".repeat(5000))).status).toBe(201)
      truncateSync(join(path, "data", "petstore.db"), 100)
      truncateSync(join(path, "data", "petstore.db-wal"), 0)
      const answer = yield* Effect.promise(() =>
        fetch(`${url}/v1/pets`, { headers: withKey("the-key-of-the-tests") })
      )
      expect(answer.status).toBe(503)
      const body = yield* Effect.promise(() => answer.text())
      expect(body).not.toMatch(/SQLITE|malformed|petstore\.db/)
      yield* Effect.promise(() => program.stop("SIGTERM"))
      expect(program.stdout).toMatch(/"level":"warn"/)
      expect(program.stdout).toContain(String(answer.headers.get("x-request-id")))
    })
  )

  it.scopedLive("logs JSON lines if standard output is not a terminal", () =>
    Effect.gen(function* () {
      const program = yield* start(yield* folder, { PETSTORE_API_KEYS: "the-key-of-the-tests" })
      yield* Effect.promise(() => program.url())
      for (const line of program.stdout.trim().split("\n")) {
        expect(JSON.parse(line)).toMatchObject({ level: "info" })
      }
    })
  )

  it.scopedLive("has its URLs in the OpenAPI document and their path in links", () =>
    Effect.gen(function* () {
      const urls = (environment: Readonly<Record<string, string>>) =>
        Effect.gen(function* () {
          const program = yield* start(yield* folder, {
            DATABASE_URL: "memory:",
            PETSTORE_API_KEYS: "the-key-of-the-tests",
            ...environment
          })
          const url = yield* Effect.promise(() => program.url())
          const answer = yield* Effect.promise(() => fetch(`${url}/openapi.json`))
          const document = (yield* Effect.promise(() => answer.json())) as {
            readonly servers: ReadonlyArray<{ readonly url: string }>
          }
          const { headers } = yield* add(url, "the-key-of-the-tests", "Rex")
          return [...document.servers.map((server) => server.url), headers.get("location")]
        })
      expect(yield* urls({})).toEqual(["/v1", "/v1/pets/1"])
      expect(
        yield* urls({
          PETSTORE_BASE_URL: "https://v1/my%20shop/v1/",
          PETSTORE_STAGING_URL: "https://v1"
        })
      ).toEqual(["https://v1/my%20shop/v1", "https://v1/v1", "/my%20shop/v1/pets/1"])
    })
  )
})

describe("programs that start together on one new file", () => {
  it.scopedLive("issue one key, serve it, and each sees what the others add", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const programs = yield* Effect.replicateEffect(
        Process.start(path, { PETSTORE_PRINT_FIRST_KEY: "true" }),
        2
      )
      const urls = yield* Effect.promise(() => Promise.all(programs.map((one) => one.url())))
      const keys = programs.flatMap(({ stderr }) => stderr.match(/(?<=Bearer )\S+(?=')/g) ?? [])
      expect(keys).toHaveLength(1)
      const [key = ""] = keys
      for (const url of urls) {
        yield* until(add(url, key, url), ({ status }) => status === 201)
      }
      for (const url of urls) {
        expect((yield* list(url, key)).map((pet) => pet.name)).toEqual(urls)
      }
    })
  )
})

describe.concurrent("the program that is stopped", () => {
  it.scopedLive("ends with 0, whatever its clients do", () =>
    Effect.gen(function* () {
      const program = yield* start(yield* folder, {
        PETSTORE_API_KEYS: "the-key-of-the-tests",
        PETSTORE_DRAIN_SECONDS: "2"
      })
      const url = yield* Effect.promise(() => program.url())
      const sockets = [
        "",
        "GET /v1/pe",
        "POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer the-key-of-the-tests\r\n" +
          'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"name":'
      ].map((text) => {
        const socket = connect(Number(new URL(url).port), "127.0.0.1")
        socket.on("error", () => {})
        socket.write(text)
        return socket
      })
      yield* Effect.sleep("200 millis")
      // Ctrl-C of a process is tested with a terminal.
      const ended = yield* Effect.promise(() => program.stop("SIGINT")).pipe(
        Effect.timeout("8 seconds")
      )
      expect(ended).toMatchObject({ code: 0, signal: null })
      for (const socket of sockets) socket.destroy()
    })
  )
})

/** A port that nothing listens on: without a log, a server cannot say which one it got. */
const freePort = Effect.async<number>((resume) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const address = server.address()
    const port = typeof address === "object" ? (address?.port ?? 0) : 0
    server.close(() => resume(Effect.succeed(port)))
  })
})

describe("the program whose log cannot be written", () => {
  it.scopedLive("keeps serving, and stops normally, as by SIGHUP", () =>
    Effect.gen(function* () {
      const full = openSync("/dev/full", "w")
      const port = yield* freePort
      const program = yield* Process.open(yield* folder, [], {
        environment: { PORT: String(port), PETSTORE_API_KEYS: "the-key-of-the-tests" },
        output: full
      })
      const ready = Effect.tryPromise(() => fetch(`http://127.0.0.1:${port}/readyz`)).pipe(
        Effect.filterOrFail(({ status }) => status === 200),
        Effect.retry({ schedule: Schedule.spaced("50 millis").pipe(Schedule.upTo("60 seconds")) })
      )
      yield* ready
      yield* Effect.sleep("200 millis")
      expect((yield* ready).status).toBe(200)
      // It becomes SIGTERM.
      const ended = yield* Effect.promise(() => program.stop("SIGHUP"))
      expect(ended).toMatchObject({ code: 0, signal: null })
      closeSync(full)
    })
  )
})

describe("the program that is stopped while another process locks the database", () => {
  it.scopedLive("stops soon, although it cannot store when its key was last used", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const starting = performance.now()
      const program = yield* start(path, { PETSTORE_PRINT_FIRST_KEY: "true" })
      const url = yield* Effect.promise(() => program.url())
      // On a slow machine all takes longer.
      const longest = 4000 + 2 * (performance.now() - starting)
      const [key = ""] = program.stderr.match(/(?<=Bearer )\S+(?=')/) ?? []
      const other = yield* Effect.acquireRelease(
        Effect.sync(() => new Database(join(path, "data", "petstore.db"))),
        (database) => Effect.sync(() => database.close())
      )
      other.exec("BEGIN IMMEDIATE")
      expect(yield* list(url, key)).toEqual([])
      const began = performance.now()
      const ended = yield* Effect.promise(() => program.stop("SIGTERM"))
      expect(ended).toMatchObject({ code: 0, signal: null })
      expect(performance.now() - began).toBeLessThan(longest)
    })
  )
})

describe("the program that starts while another process locks the database", () => {
  it.scopedLive("answers meanwhile that it lives but is not ready", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const first = yield* start(path)
      const { port } = new URL(yield* Effect.promise(() => first.url()))
      yield* Effect.promise(() => first.stop("SIGTERM"))
      const other = new Database(join(path, "data", "petstore.db"))
      other.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
      const program = yield* start(path, { PORT: port })
      const probe = (target: string) =>
        Effect.tryPromise(() => fetch(`http://127.0.0.1:${port}${target}`))
      const alive = yield* Effect.retry(probe("/healthz"), {
        times: 400,
        schedule: Schedule.spaced("50 millis")
      })
      expect(alive.status).toBe(200)
      for (const [target, status] of [
        ["/readyz", 503],
        ["/healthz", 200]
      ] as const) {
        // By now a wait for the lock on the event loop would have begun; it takes five seconds.
        yield* Effect.sleep("300 millis")
        const began = performance.now()
        expect((yield* probe(target)).status).toBe(status)
        expect(performance.now() - began).toBeLessThan(3000)
      }
      other.exec("COMMIT")
      other.close()
      yield* Effect.promise(() => program.url())
    })
  )
})

describe.concurrent("the program that cannot start", () => {
  const fails = (environment: Readonly<Record<string, string>>, message: RegExp) =>
    Effect.gen(function* () {
      const path = yield* folder
      mkdirSync(join(path, "folder"))
      writeFileSync(join(path, "text"), "no database, but long enough to be one ".repeat(100))
      const program = yield* start(path, environment)
      const { code } = yield* Effect.promise(() => program.ended)
      expect(program.stderr).toMatch(message)
      expect(program.stderr.trim().split("\n")).toHaveLength(1)
      expect(program.stdout).toBe("")
      expect(code).toBe(/must be/.test(program.stderr) ? 2 : 3)
    })

  it.scopedLive.each([
    { HOST: "192.0.2.1", message: /^HOST 192\.0\.2\.1 is not available .*set HOST/ },
    { DATABASE_URL: "sqlite:text", message: /^DATABASE_URL sqlite:text .*not a database/ },
    { DATABASE_URL: "sqlite:folder", message: /^DATABASE_URL sqlite:folder cannot be used/ },
    { DATABASE_URL: "sqlite:text/below.db", message: /^DATABASE_URL .*cannot be used/ },
    { DATABASE_URL: "sqlite:/proc/none/pets.db", message: /^DATABASE_URL .*cannot be used/ },
    {
      DATABASE_URL: "postgres://user:hunter2@127.0.0.1:1/pets",
      PETSTORE_START_TIMEOUT_SECONDS: "0",
      message: /^DATABASE_URL postgres:\/\/\*\*\*@127\.0\.0\.1:1\/pets cannot be used .*check that/
    },
    {
      PETSTORE_WORKERS: "2",
      DATABASE_URL: "memory:",
      message: /^PETSTORE_WORKERS must be 1 for memory:, or set DATABASE_URL to sqlite:<file> or/
    },
    { PETSTORE_API_KEYS: "sixteen-at-least", PORT: "x", message: /^PORT must be/ }
  ])("reports %o on one line", ({ message, ...environment }) => fails(environment, message))

  /** Values that are invalid, and what is said about each. */
  const invalid: Readonly<Record<string, ReadonlyArray<readonly [value: string, says: RegExp]>>> = {
    PORT: [
      ["99999", / must be a whole number from 0 to 65535, not "99999"$/],
      ["http", / must be a whole number/]
    ],
    DATABASE_URL: [
      ["mongodb://x", / must be memory:, sqlite:<file> or/],
      ["sqlite:", / must be/],
      ["mysql://user:hunter2@db/pets", / must be memory:, sqlite:<file> or[^@]*$/],
      [
        "postgres://user:hun#ter2@127.0.0.1:1/pets",
        / must be a URL such as postgres:[^#]*percent-encoded$/
      ]
    ],
    PETSTORE_WORKERS: [
      ["0", / must be auto or a whole number from 1 to/],
      ["257", / must be auto or .* 256, not "257"$/]
    ],
    PETSTORE_API_KEYS: [
      ["a b", / must be comma-separated keys/],
      ["fifteen-is-few.", / .* 16 characters/]
    ],
    PETSTORE_RATE_LIMIT: [
      ["600", / must be .* such as 600\/1m/],
      ["0/1m", / must be/],
      ["1/0s", / must be/]
    ],
    PETSTORE_CORS_ORIGINS: [
      ["app.example", / must be \* or/],
      ["https://a.b/c", / must be \* or/]
    ],
    PETSTORE_METRICS_PORT: [["-1", / must be a whole number/]],
    PETSTORE_PRESTOP_SECONDS: [["x", / must be a whole number/]],
    PETSTORE_BASE_URL: [
      ["https://user:p@ss@pets.example", / .*not "https:\/\/\*\*\*@pets\.example"/],
      ["pets", / must be a URL/],
      ["https://pets.example//shop/v1", / must be a URL/],
      ["https://pets.example/v1?shop", / must be a URL/]
    ],
    PETSTORE_MAX_BODY_BYTES: [
      ["0", / must be a whole number/],
      ["67108865", / .* to 67108864, not/]
    ],
    PETSTORE_DRAIN_SECONDS: [["soon", / must be a whole number/]],
    OTEL_EXPORTER_OTLP_ENDPOINT: [["collector", / must be/]],
    OTEL_EXPORTER_OTLP_PROTOCOL: [["grpc", / must be one of http\/protobuf, http\/json/]],
    OTEL_TRACES_SAMPLER_ARG: [["2", / must be a number/]],
    LOG_REQUESTS: [["some", / must be one of all, errors, none/]],
    LOG_LEVEL: [["loud", / must be one of trace, debug, info/]],
    LOG_FORMAT: [["xml", / must be one of pretty, json, logfmt/]]
  }

  // The first value of each, then the second: one program reports all that are invalid.
  it.scopedLive.each([0, 1, 2, 3])("reports each invalid variable on one line (%i)", (nth) =>
    Effect.gen(function* () {
      const given = Object.entries(invalid).flatMap(([name, values]) => {
        const [value, says] = values[nth] ?? []
        return value === undefined || says === undefined ? [] : [{ name, value, says }]
      })
      expect(given.length).toBeGreaterThan(0)
      const program = yield* start(
        yield* folder,
        Object.fromEntries(given.map(({ name, value }) => [name, value]))
      )
      const { code, stderr, stdout } = yield* Effect.promise(() => program.ended)
      expect([code, stdout]).toEqual([2, ""])
      const lines = stderr.trimEnd().split("\n")
      expect(lines.map((line) => line.split(" ")[0]).sort()).toEqual(
        given.map(({ name }) => name).sort()
      )
      for (const { name, says } of given) {
        expect(lines.find((line) => line.startsWith(`${name} `))?.slice(name.length)).toMatch(says)
      }
    })
  )

  it.scopedLive("says that its port is in use", () =>
    Effect.gen(function* () {
      const { port } = new URL(yield* stranger(() => {}))
      yield* fails(
        { PORT: String(port), DATABASE_URL: "memory:" },
        new RegExp(`^PORT ${port} is in use on 127\\.0\\.0\\.1: .*set PORT to another port\\n$`)
      )
    })
  )
})
