/** The program as it is built, started as a process. */
import { closeSync, existsSync, mkdirSync, openSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "@effect/vitest"
import * as LocalPostgres from "@petstore/local-postgres/LocalPostgres"
import Database from "better-sqlite3"
import { Duration, Effect, Schedule } from "effect"
import { add, all, call } from "./support/Calls.ts"
import { folder, live } from "./support/Folder.ts"
import { postHead, until } from "./support/Observed.ts"
import * as Process from "./support/Process.ts"
import { run, serve, start } from "./support/Program.ts"

/** How many milliseconds an effect takes of those in which this process gets to run: busy machines pause it for seconds. */
const ticking = <A>(effect: Effect.Effect<A>) =>
  Effect.gen(function* () {
    let ticks = 0
    const timer = setInterval(() => ticks++, 10)
    const value = yield* effect
    clearInterval(timer)
    return [10 * ticks, value] as const
  })

describe("the program with no configuration", () => {
  live("says how to create a key, and prints none where it could be kept", function* () {
    const path = yield* folder
    const { program } = yield* serve(path)
    expect(program.stderr).toBe("")
    expect(program.stdout).toContain(
      '"level":"warn","message":"there is no API key yet: run petstore keys create --name <name>"'
    )
    expect(program.stdout).not.toContain("pet_")
    const { stdout } = yield* run(path, ["keys", "list"])
    expect(stdout).toBe("")
    yield* run(path, ["keys", "create", "--new-database", "--name", "first"])
    const { program: again } = yield* serve(path)
    expect(again.stdout).not.toContain("API key")
  })

  live("says how to get a key in memory, where commands cannot create one", function* () {
    const path = yield* folder
    const DATABASE_URL = "memory:"
    const { program } = yield* serve(path, { DATABASE_URL })
    expect(program.stdout).toContain(
      '"message":"there is no API key yet: set PETSTORE_API_KEYS, or PETSTORE_PRINT_FIRST_KEY to true"'
    )
    expect(program.stdout).not.toContain("petstore keys")
    const { program: told, url } = yield* serve(path, {
      DATABASE_URL,
      PETSTORE_PRINT_FIRST_KEY: "true"
    })
    const key = yield* Effect.promise(() => told.until(/Bearer (pet_\w+)/))
    expect(yield* all(url, key)).toEqual([])
  })

  live("creates the database and a key, and prints a curl command that works", function* () {
    const path = yield* folder
    const { program, url } = yield* serve(path, { PETSTORE_PRINT_FIRST_KEY: "true" })
    expect(existsSync(join(path, "data", "petstore.db"))).toBe(true)
    const [, key = "", target = ""] =
      /curl -H 'Authorization: Bearer (\S+)' (\S+)/.exec(program.stderr) ?? []
    expect(target).toBe(`${url}/v1/pets`)
    expect(key).toMatch(/^pet_[0-9a-v]{10}_[0-9a-v]{39}$/)
    expect(program.stderr.split(key)).toHaveLength(3)
    expect((yield* call(target, key)).status).toBe(200)
    // The key is printed to standard error, not logged.
    expect(program.stdout).not.toContain(key)
    yield* Effect.promise(() => program.stop("SIGTERM"))

    const { program: again, url: next } = yield* serve(path)
    expect(again.stderr).toBe("")
    expect((yield* add(next, key, "Rex")).status).toBe(201)
  })
})

live("the bin of the package is the program", function* () {
  const bin = fileURLToPath(new URL("../bin/petstore.js", import.meta.url))
  const { stdout } = yield* Process.run(yield* folder, ["--version"], { program: [bin] })
  expect(stdout).toBe("1.0.0\n")
})

live("programs that start together on a new file issue one key", function* () {
  const path = yield* folder
  const starting = start(path, { PETSTORE_PRINT_FIRST_KEY: "true" })
  const programs = yield* Effect.replicateEffect(starting, 2)
  const urls = yield* Effect.promise(() => Promise.all(programs.map((one) => one.url())))
  const keys = programs.flatMap(({ stderr }) => stderr.match(/(?<=Bearer )\S+(?=')/g) ?? [])
  expect(keys).toHaveLength(1)
  const [key = ""] = keys
  for (const url of urls) {
    yield* until(add(url, key, url), ({ status }) => status === 201)
  }
  for (const url of urls) {
    expect((yield* all(url, key)).map((pet) => pet.name)).toEqual(urls)
  }
})

live("the program that is stopped ends with 0, whatever its clients do", function* () {
  const { program, url } = yield* serve(yield* folder, {
    PETSTORE_API_KEYS: "the-key-of-the-tests",
    PETSTORE_DRAIN_SECONDS: "2"
  })
  const sockets = ["", "GET /v1/pe", `${postHead}{"name":`].map((text) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1")
    socket.on("error", () => {})
    socket.write(text)
    return socket
  })
  yield* Effect.sleep("200 millis")
  // Ctrl-C of a process is tested with a terminal.
  const [spent, ended] = yield* ticking(Effect.promise(() => program.stop("SIGINT")))
  expect(spent).toBeLessThan(8000)
  expect(ended).toMatchObject({ code: 0, signal: null })
  for (const socket of sockets) socket.destroy()
})

live("the program serves on if its log cannot be written, until a SIGHUP", function* () {
  const full = openSync("/dev/full", "w")
  const port = yield* Effect.promise(LocalPostgres.freePort)
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

live("the program stops soon although another process locks the database", function* () {
  const path = yield* folder
  const { program, url } = yield* serve(path, { PETSTORE_PRINT_FIRST_KEY: "true" })
  const [key = ""] = program.stderr.match(/(?<=Bearer )\S+(?=')/) ?? []
  const other = yield* Effect.acquireRelease(
    Effect.sync(() => new Database(join(path, "data", "petstore.db"))),
    (database) => Effect.sync(() => database.close())
  )
  other.exec("BEGIN IMMEDIATE")
  expect(yield* all(url, key)).toEqual([])
  const [spent, ended] = yield* ticking(Effect.promise(() => program.stop("SIGTERM")))
  expect(ended).toMatchObject({ code: 0, signal: null })
  // SQLite waits for five seconds for the lock, to note that the key was used.
  expect(spent).toBeLessThan(8000)
})

live("the program that starts on a locked database lives but is not ready", function* () {
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
  const probes = (ready: number) =>
    Effect.gen(function* () {
      for (let round = 0; round < 10; round++) {
        yield* Effect.sleep("50 millis")
        expect((yield* probe("/readyz")).status).toBe(ready)
        expect((yield* probe("/healthz")).status).toBe(200)
      }
    }).pipe(
      Effect.timed,
      Effect.map(([spent]) => Duration.toMillis(spent))
    )
  const locked = yield* probes(503)
  other.exec("COMMIT")
  other.close()
  yield* Effect.promise(() => program.url())
  // If the event loop waited for the lock, each round would take five seconds.
  expect(locked).toBeLessThan(20 * (yield* probes(200)))
})

describe("the program that cannot start", () => {
  const fails = (environment: Readonly<Record<string, string>>, message: RegExp) =>
    Effect.gen(function* () {
      const path = yield* folder
      mkdirSync(join(path, "folder"))
      writeFileSync(join(path, "text"), "no database, but long enough to be one ".repeat(100))
      const program = yield* start(path, environment)
      const { code, stderr, stdout } = yield* Effect.promise(() => program.ended)
      expect(stderr).toMatch(message)
      expect(stderr.trim().split("\n")).toHaveLength(1)
      expect(stdout).toBe("")
      expect(code).toBe(/must be/.test(stderr) ? 2 : 3)
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
    { PETSTORE_API_KEYS: "sixteen-at-least", PORT: "x", message: /^PORT must be/ }
  ])("reports %o on one line", ({ message, ...environment }) => fails(environment, message))

  /** Values that are invalid, and what is said about each. */
  const invalid: Readonly<Record<string, ReadonlyArray<readonly [value: string, says: RegExp]>>> = {
    PORT: [
      ["99999", / must be a whole number from 0 to 65535, not "99999"$/],
      ["http", / must be a whole number/]
    ],
    DATABASE_URL: [
      ["mongodb://x", / must be memory: or sqlite:<file> or/],
      ["postgres://user:hun#ter2@127.0.0.1:1/pets", / must be memory:[^#]*percent-encoded$/]
    ],
    PETSTORE_API_KEYS: [
      ["a b", / must be comma-separated keys/],
      ["fifteen-is-few.", / .* 16 characters/]
    ],
    PETSTORE_RATE_LIMIT: [["600", / must be .* such as 600\/1m/]],
    PETSTORE_CORS_ORIGINS: [
      ["app.example", / must be \* or/],
      ["https://*.a.example", / must be \* or/]
    ],
    PETSTORE_METRICS_PORT: [["-1", / must be a whole number/]],
    PETSTORE_PRESTOP_SECONDS: [["x", / must be a whole number/]],
    PETSTORE_BASE_URL: [
      ["https://user:p@ss@pets.example", / .*not "https:\/\/\*\*\*@pets\.example"/],
      ["https://pets.example/v1?shop", / must be a URL/]
    ],
    PETSTORE_DRAIN_SECONDS: [["soon", / must be a whole number/]],
    OTEL_EXPORTER_OTLP_ENDPOINT: [
      ["http://user:password@127.0.0.1:4318", / must be a URL such as http:.*\/\/\*\*\*@/],
      ["grpc://127.0.0.1:4317", / must be a URL such as http:/]
    ],
    OTEL_EXPORTER_OTLP_HEADERS: [
      ["authorization", / must be comma-separated pairs/],
      ["a(b=secret", / must have names and values that headers can have: [^"]*$/]
    ],
    OTEL_EXPORTER_OTLP_PROTOCOL: [["grpc", / must be one of http\/protobuf, http\/json/]],
    OTEL_TRACES_SAMPLER_ARG: [["2", / must be a number/]],
    LOG_REQUESTS: [["some", / must be one of all, writes, errors, none/]],
    LOG_SLOW_MILLISECONDS: [
      ["0", / must be a whole number from 1 to 600000/],
      ["1s", / must be a whole number/]
    ],
    LOG_LEVEL: [["loud", / must be one of trace, debug, info/]],
    LOG_FORMAT: [["xml", / must be one of pretty, json/]]
  }

  // The first value of each, then the second: one program reports all that are invalid.
  live.each([0, 1])("reports each invalid variable on one line (%i)", function* (nth) {
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
})
