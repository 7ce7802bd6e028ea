/** The keys of a service: the first one, their life on two servers that share a database, and what is logged of them. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, effect, expect } from "@effect/vitest"
import { ApiKeyStore } from "@petstore/access/ApiKeyStore"
import { HttpListener } from "@petstore/http-transport/HttpListener"
import { make } from "@petstore/store-memory/MemoryApiKeyStore"
import Database from "better-sqlite3"
import {
  ConfigProvider,
  Deferred,
  Effect,
  Fiber,
  Layer,
  Logger,
  type Scope,
  TestClock
} from "effect"
import { Terminal } from "../src/cli/Terminal.ts"
import * as KeyLog from "../src/observe/KeyLog.ts"
import * as Keys from "../src/service/Keys.ts"
import { AppConfig } from "../src/settings/AppConfig.ts"
import { folder, live, places } from "./support/Folder.ts"
import { until } from "./support/Observed.ts"
import { run, serve, start } from "./support/Program.ts"
import { linesOf } from "./support/ServerLog.ts"
import { shiftedClock } from "./support/ShiftedClock.ts"
import { createKey } from "./support/Stock.ts"

effect("a first key that is stored is printed, though the service is stopped meanwhile", () =>
  Effect.gen(function* () {
    const environment = { PETSTORE_PRINT_FIRST_KEY: "true", DATABASE_URL: "memory:" }
    const provider = ConfigProvider.fromJson(environment)
    const config = yield* Effect.withConfigProvider(AppConfig, provider)
    const store = yield* make
    const stored = yield* Deferred.make<void>()
    let printed = ""
    const starting = yield* Layer.build(Keys.layer(config)).pipe(
      Effect.scoped,
      Effect.provideService(ApiKeyStore, {
        ...store,
        addFirst: (key) =>
          store
            .addFirst(key)
            .pipe(
              Effect.zipLeft(Deferred.succeed(stored, undefined)),
              Effect.zipLeft(Effect.sleep("1 second"))
            )
      }),
      Effect.provideService(HttpListener, { url: "http://pets.test" } as never),
      Effect.provideService(Terminal, {
        stderr: { write: (text: string) => (printed += text) }
      } as never),
      Effect.fork
    )
    yield* Deferred.await(stored)
    const stopping = yield* Effect.fork(Fiber.interrupt(starting))
    yield* TestClock.adjust("1 second")
    yield* Fiber.join(stopping)
    const [key] = yield* store.list
    expect(printed).toContain(`pet_${key?.id}_`)
  })
)

interface Issued {
  readonly id: string
  readonly key: string
}

/** Runs a command and returns its output. */
const petstore = (path: string, ...words: ReadonlyArray<string>) =>
  Effect.map(run(path, words), ({ code, stdout }) => {
    expect(code).toBe(0)
    return stdout
  })
const issue = (path: string, ...words: ReadonlyArray<string>) =>
  Effect.map(petstore(path, "keys", ...words, "--json"), (text): Issued => JSON.parse(text))

const get = (url: string, key: string) =>
  Effect.promise(() => fetch(`${url}/v1/pets`, { headers: { Authorization: `Bearer ${key}` } }))
const post = (url: string, key: string) =>
  Effect.promise(() =>
    fetch(`${url}/v1/pets`, {
      method: "POST",
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      body: JSON.stringify({ name: "Rex", categoryId: 1 })
    })
  )

/** Two servers on one database that has a key already, so that they print none. */
const serversIn = (folder: Effect.Effect<string, never, Scope.Scope>) =>
  Effect.gen(function* () {
    const path = yield* folder
    const first = yield* createKey(path)
    const clock = shiftedClock()
    const starting = start(path, { LOG_LEVEL: "trace" }, { clock })
    const programs = [yield* starting, yield* starting]
    const urls = yield* Effect.promise(() => Promise.all(programs.map((program) => program.url())))
    return { path, programs, urls, first, clock }
  })

/**
 * Waits until every server answers a key with this status. Servers notice changes within a second, but the machine of
 * the tests may be busy; that a second is enough is tested with a clock of its own.
 */
const becomes = (urls: ReadonlyArray<string>, key: string, expected: number) =>
  until(
    Effect.delay(
      Effect.forEach(urls, (url) => Effect.map(get(url, key), ({ status }) => status)),
      "50 millis"
    ),
    (statuses) => statuses.every((status) => status === expected)
  )

const hour = 3_600_000

for (const [name, folder] of Object.entries(places)) {
  describe(`a key, on servers with ${name}`, () => {
    live("is accepted from the moment at which its command has printed it", function* () {
      const { path, urls } = yield* serversIn(folder)
      for (let nth = 0; nth < 6; nth++) {
        const { key } = yield* issue(path, "create", "--name", `me ${nth}`)
        for (const url of urls) expect((yield* get(url, key)).status).toBe(200)
      }
    })

    live("is accepted by both once it is issued, until it ends in any way", function* () {
      const { clock, first, path, urls } = yield* serversIn(folder)
      const plain = yield* createKey(path)
      const writing = yield* createKey(path, { scopes: ["pets:write"] })
      const expiring = yield* createKey(path, { expires: "2 hours" })
      const old = yield* createKey(path, { scopes: ["pets:read"] })
      const next = yield* issue(path, "rotate", old.id, "--overlap", "5h")
      for (const { key } of [first, plain, expiring, old, next]) yield* becomes(urls, key, 200)
      yield* becomes(urls, writing.key, 403)
      for (const url of urls) {
        for (const { key } of [plain, writing]) expect((yield* post(url, key)).status).toBe(201)
        const refused = yield* post(url, next.key)
        expect(refused.status).toBe(403)
        expect(refused.headers.get("www-authenticate")).toBe(
          'Bearer realm="petstore", error="insufficient_scope", scope="pets:write"'
        )
      }
      clock.advance(2 * hour)
      yield* becomes(urls, expiring.key, 401)
      yield* becomes(urls, old.key, 200)
      clock.advance(3 * hour)
      yield* becomes(urls, old.key, 401)
      yield* issue(path, "revoke", plain.id)
      yield* becomes(urls, plain.key, 401)
      for (const { key } of [first, next]) yield* becomes(urls, key, 200)
    })

    live("is rejected once revoked, even if the environment lists it", function* () {
      const path = yield* folder
      const { id, key } = yield* createKey(path, { scopes: ["pets:read"] })
      const { url } = yield* serve(path, { PETSTORE_API_KEYS: `${key},the-other-of-two` })
      expect((yield* get(url, key)).status).toBe(200)
      expect((yield* post(url, key)).status).toBe(403)
      yield* issue(path, "revoke", id)
      yield* becomes([url], key, 401)
      expect((yield* post(url, "the-other-of-two")).status).toBe(201)
    })
  })
}

live("the text of a key is not in the database files or logs", function* () {
  const { path, programs, urls, first } = yield* serversIn(folder)
  const old = yield* issue(path, "create", "--name", "old")
  const next = yield* issue(path, "rotate", old.id)
  yield* becomes(urls, next.key, 200)
  const keys = [first.key, old.key, next.key]
  for (const url of urls) {
    for (const key of keys) {
      yield* get(url, key)
      yield* get(url, `${key}x`)
      yield* Effect.promise(() => fetch(`${url}/v1/${key}`, { headers: { "X-Key": key } }))
    }
  }
  yield* issue(path, "revoke", next.id)
  yield* becomes(urls, next.key, 401)
  const data = join(path, "data")
  const database = new Database(join(data, "petstore.db"), { readonly: true })
  const dump = database.serialize().toString("latin1")
  database.close()
  expect(dump).toContain(next.id)
  const files = readdirSync(data).map((name) => readFileSync(join(data, name), "latin1"))
  expect(files.length).toBeGreaterThan(1)
  for (const program of programs) yield* Effect.promise(() => program.stop("SIGTERM"))
  const logs = programs.flatMap(({ stderr, stdout }) => [stderr, stdout])
  expect(logs.join("")).toContain("serving")
  for (const key of keys) {
    const secret = key.slice("pet_0123456789_".length)
    for (const text of [dump, ...files, ...logs]) {
      expect(text.includes(secret)).toBe(false)
      expect(text.includes(secret.slice(0, 16))).toBe(false)
    }
  }
})

live(
  "has a line for each key that is created, rotated or revoked while the server runs",
  function* () {
    const path = yield* folder
    const { id: first } = yield* createKey(path)
    const { program } = yield* serve(path)
    const change = (...words: ReadonlyArray<string>) =>
      Effect.map(
        run(path, ["keys", ...words, "--json"]),
        ({ stdout }): string => JSON.parse(stdout).id
      )
    const has = (text: string) => Effect.promise(() => program.until(new RegExp(text)))
    const second = yield* change("create", "--name", "checkout", "--scope", "pets:read")
    yield* has(`${second} .checkout. was created`)
    const third = yield* change("rotate", second, "--overlap", "1h")
    yield* has(`${second} .checkout. was rotated`)
    yield* has(`${third} .checkout. was created`)
    yield* change("revoke", first)
    yield* has(`${first} .ci. was revoked`)
    yield* Effect.promise(() => program.stop("SIGTERM"))
    const lines = linesOf(program.stdout, /^API key/)
    expect(lines).toHaveLength(4)
    expect(lines[0]).toMatchObject({
      level: "info",
      message: `API key ${second} (checkout) was created, with pets:read`,
      keyId: second
    })
  }
)

live("has a line for each of what happened between two reads", function* () {
  const lines: Array<unknown> = []
  const logger = Logger.replace(
    Logger.defaultLogger,
    Logger.make(({ message }) => lines.push(...[message].flat()))
  )
  const key = {
    id: "0123456789",
    name: "ci",
    scopes: ["pets:read", "pets:write"],
    retires: 0,
    revoked: 0
  }
  const store = { changes: () => Effect.succeed({ keys: [key] }) }
  const { changes } = KeyLog.watch(store as never)
  yield* Effect.provide(changes("some version"), logger)
  yield* Effect.provide(changes("another"), logger)
  expect(lines).toEqual([
    "API key 0123456789 (ci) was created, with pets:read and pets:write",
    "API key 0123456789 (ci) was rotated; it ends at 1970-01-01T00:00:00.000Z",
    "API key 0123456789 (ci) was revoked"
  ])
})
