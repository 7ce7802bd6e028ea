/** Several processes that share a socket or a port. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "@effect/vitest"
import { HttpListener } from "@petstore/http-transport/HttpListener"
import * as LocalPostgres from "@petstore/local-postgres/LocalPostgres"
import { ConfigProvider, Effect, Layer, Logger, Option } from "effect"
import { Observers } from "../src/observe/Observers.ts"
import * as Adapters from "../src/service/Adapters.ts"
import * as Announcement from "../src/service/Announcement.ts"
import { AppConfig } from "../src/settings/AppConfig.ts"
import * as UnknownVariables from "../src/settings/UnknownVariables.ts"
import { folder, live } from "./support/Folder.ts"
import { add, call } from "./support/Observed.ts"
import { runOnTerminal, serve } from "./support/Process.ts"
import { open, run } from "./support/Program.ts"

const serving = /serving (http:\S+) /

describe("petstore serve", () => {
  live.each([
    { words: ["serve", "--port", "0", "--host", "127.0.0.2", "--database", "sqlite:here/my.db"] },
    { words: ["--database=sqlite:here/my.db", "--host=127.0.0.2", "--port=0"] }
  ])("prefers $words to the variables", function* ({ words }) {
    const path = yield* folder
    const server = yield* open(path, words, {
      environment: {
        PORT: "not a port",
        HOST: "192.0.2.1",
        DATABASE_URL: "memory:",
        PETSTORE_API_KEYS: "the-key-of-the-tests"
      }
    })
    const url = yield* Effect.promise(() => server.url())
    expect(url).toMatch(/^http:\/\/127\.0\.0\.2:[1-9]\d+$/)
    expect(yield* call(url, "/v1/pets")).toBe(200)
    expect(existsSync(join(path, "here", "my.db"))).toBe(true)
    const ended = yield* Effect.promise(() => server.stop("SIGTERM"))
    expect(ended).toMatchObject({ code: 0, signal: null, stderr: "" })
  })

  live("reads, and refuses to write, with PETSTORE_READ_ONLY", function* () {
    const server = yield* open(yield* folder, ["serve", "--port", "0"], {
      environment: { PETSTORE_READ_ONLY: "True", PETSTORE_API_KEYS: "the-key-of-the-tests" }
    })
    const url = yield* Effect.promise(() => server.url())
    expect([yield* call(url, "/v1/pets"), yield* add(url)]).toEqual([200, 503])
  })

  live("logs JSON in a pipe, and otherwise as --log-format says", function* () {
    const environment = {
      DATABASE_URL: "memory:",
      PETSTORE_API_KEYS: "the-key-of-the-tests",
      LOG_FORMAT: "pretty",
      LOG_REQUESTS: "all"
    }
    const logged = (...words: ReadonlyArray<string>) =>
      Effect.gen(function* () {
        const server = yield* open(yield* folder, ["serve", "--port", "0", ...words], {
          environment
        })
        const url = yield* Effect.promise(() => server.url())
        expect(yield* call(url, "/v1/pets", { key: null })).toBe(401)
        expect(yield* call(url, "/v1/pets/a=b")).toBe(404)
        expect(yield* call(url, "/v1/pets?limit=5&status=sold")).toBe(200)
        const { stdout } = yield* Effect.promise(() => server.stop("SIGTERM"))
        expect(stdout).toMatch(
          /stopping after in-flight requests; two more signals stop it immediately.*\n.*stopped\S*\n$/
        )
        return stdout.split("\n")
      }).pipe(Effect.scoped)
    const [json = ""] = yield* logged("--log-format", "json")
    expect(JSON.parse(json)).toEqual({
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      level: "info",
      message: expect.stringMatching(/^serving http/)
    })
    const pretty = yield* logged()
    expect(pretty[0]).toMatch(/^\d\d:\d\d:\d\d\.\d{3} INFO {2}serving /)
    expect(pretty[1]).toMatch(
      /^[\d:.]+ INFO {2}GET 401 \/v1\/pets {2}code=unauthorized durationMs=\S+ bytes=\d+ keyRefusal=missing /
    )
    expect(pretty[2]).toContain(" route=/v1/pets/{petId} ")
  })

  live("says why it ends in the format of its log", function* () {
    const path = yield* folder
    const ended = (LOG_FORMAT: string) =>
      Effect.gen(function* () {
        const program = yield* open(path, [], { environment: { LOG_FORMAT, PORT: "x", HOST: "" } })
        yield* Effect.promise(() => program.ended)
        return program.stderr
      })
    const lines = (yield* ended("")).trimEnd().split("\n")
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
        level: "fatal",
        message: expect.stringMatching(/^PORT must be a whole number/)
      }
    ])
    expect(yield* ended("pretty")).toMatch(/^PORT must be a whole number/)
  })

  live("prints the first key on a terminal, and exits with 0 on Ctrl-C", function* () {
    const { code, screen, signal } = yield* runOnTerminal(yield* folder, ["serve", "--port", "0"], {
      reactions: [[serving, () => "\u0003"]]
    })
    expect([code, signal]).toEqual([0, undefined])
    expect(screen).toMatch(/curl -H 'Authorization: Bearer pet_[0-9a-v_]+' http:\S+\/v1\/pets/)
    expect(screen).not.toContain('"level"')
    expect(screen).toContain(" \u001b[32mINFO\u001b[39m  serving")
  })

  live("says that a Pet Store uses its port", function* () {
    const path = yield* folder
    const server = yield* open(path, ["serve", "--port", "0", "--database", "memory:"])
    const { port } = new URL(yield* Effect.promise(() => server.url()))
    const second = yield* run(path, ["serve", "--port", port, "--database", "memory:"])
    expect(second.code).toBe(3)
    expect(second.stderr).toMatch(
      new RegExp(
        `^--port ${port} is in use on 127\\.0\\.0\\.1 by Pet Store \\d+\\.\\d+\\.\\d+: stop `
      )
    )
  })
})

live.each([
  { host: "127.0.0.1", url: "http://127.0.0.1:3000", served: "http://127.0.0.1:3000" },
  { host: "0.0.0.0", url: "http://127.0.0.1:3000", served: "port 3000 of all addresses (0.0.0.0)" },
  { host: "::", url: "http://[::1]:3000", served: "port 3000 of all addresses (::)" }
])("a service on $host says that it serves $served", function* ({ host, served, url }) {
  const config = yield* Effect.withConfigProvider(
    AppConfig,
    ConfigProvider.fromJson({ DATABASE_URL: "memory:", PETSTORE_READ_ONLY: "true" })
  )
  const lines: Array<unknown> = []
  const logger = Logger.make(({ message }) => lines.push(...[message].flat()))
  yield* Layer.build(Announcement.layer(config)).pipe(
    Effect.scoped,
    Effect.provideService(HttpListener, { host, url } as never),
    Effect.provide(Logger.replace(Logger.defaultLogger, logger))
  )
  expect(lines[0]).toBe(`serving ${served} read-only from memory:; read ${url}/docs`)
})

const passed = { LISTEN_PID: String(process.pid), LISTEN_FDS: "1" }

live.each([
  { environment: {}, listens: true },
  { environment: passed, listens: false },
  { environment: { PETSTORE_REUSE_PORT: "true" }, listens: false }
])("a process listens before it can serve ($listens) if it is alone: %o", function* (given) {
  const port = yield* Effect.promise(LocalPostgres.freePort)
  const environment = ConfigProvider.fromJson({ ...given.environment, PORT: String(port) })
  const config = yield* Effect.withConfigProvider(AppConfig, environment)
  yield* Layer.build(Adapters.listener(config)).pipe(
    Effect.provideService(Observers, { observers: [] } as never)
  )
  const answer = Effect.tryPromise(() => fetch(`http://127.0.0.1:${port}/readyz`))
  expect(Option.isSome(yield* Effect.option(answer))).toBe(given.listens)
})

live("two servers with PETSTORE_REUSE_PORT on one port both answer", function* () {
  const path = yield* folder
  const environment = { PETSTORE_REUSE_PORT: "true", LOG_REQUESTS: "all" }
  const first = yield* serve(path, environment)
  const { port } = new URL(first.url)
  const second = yield* serve(path, { ...environment, PORT: port })
  expect(second.url).toBe(first.url)
  const hasAnswered = ({ program }: typeof first) => program.stdout.includes('"/healthz"')
  for (let nth = 0; nth < 1000 && ![first, second].every(hasAnswered); nth++)
    expect(yield* call(first.url, "/healthz")).toBe(200)
  expect([first, second].map(hasAnswered)).toEqual([true, true])
})

live.each([
  { environment: { ...passed, PORT: "3001" }, message: /^PORT has no effect on a passed socket/ },
  { environment: passed },
  { environment: { PORT: "3001" } }
])("a port beside a passed socket has no effect, and a warning says so: %o", function* (given) {
  const { environment, message } = given
  const provider = ConfigProvider.fromJson(environment)
  const found = yield* Effect.withConfigProvider(UnknownVariables.find, provider)
  const expected = message === undefined ? [] : [{ message: expect.stringMatching(message) }]
  expect(found).toMatchObject(expected)
})
