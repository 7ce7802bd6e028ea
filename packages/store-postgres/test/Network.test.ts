/** Faults of the network between the store and its database, which reach every module. */
import { inspect } from "node:util"
import { describe, expect, it } from "@effect/vitest"
import * as LocalPostgres from "@petstore/local-postgres/LocalPostgres"
import * as Listener from "@petstore/local-postgres/support/Listener"
import * as SharedPostgres from "@petstore/local-postgres/support/SharedPostgres"
import * as StallingProxy from "@petstore/local-postgres/support/StallingProxy"
import * as PostgresInspection from "@petstore/store-postgres/PostgresInspection"
import { Effect, Fiber, Option, Redacted } from "effect"
import { vi } from "vitest"
import * as ConnectionPool from "../src/internal/ConnectionPool.ts"
import * as DriverConfig from "../src/internal/DriverConfig.ts"
import * as Hosts from "../src/internal/Hosts.ts"
import {
  emptyDatabase,
  limit,
  live,
  names,
  openPool,
  openStore,
  patient,
  pet,
  urlOf,
  withParameters
} from "./support/Databases.ts"
import { expectFailure, timed } from "./support/Failures.ts"

/** A new database, and a proxy before it. */
const proxied = Effect.gen(function* () {
  const url = new URL(Redacted.value(yield* emptyDatabase))
  const proxy = yield* StallingProxy.make(SharedPostgres.port())
  url.port = String(proxy.port)
  return { proxy, url: Redacted.make(url.href) }
})

describe("a network that stops forwarding", () => {
  live("fails operations in time, and they succeed when it forwards again", function* () {
    const { proxy, url } = yield* proxied
    const store = yield* openStore({
      url: withParameters(url, { statement_timeout: 500 }),
      maxConnections: 2
    })
    yield* Effect.all([names(store), names(store), store.add(pet("before"))], { concurrency: 3 })
    proxy.stall()
    const operations = Array.from({ length: 10 }, (_, nth) =>
      expectFailure(
        nth % 2 === 0 ? names(store) : Effect.as(store.add(pet("lost")), []),
        expect.stringMatching(/down|busy/),
        3000
      )
    )
    yield* Effect.all(operations, { concurrency: "unbounded" })
    proxy.resume()
    yield* Effect.sleep("50 millis")
    yield* store.add(pet("after"))
    expect(yield* names(store)).toEqual(["before", "after"])
    expect(proxy.connections()).toBeLessThanOrEqual(2)
  })

  live("does not keep a store from closing", function* () {
    const { proxy, url } = yield* proxied
    const closed = Effect.scoped(
      Effect.gen(function* () {
        const store = yield* openStore({ url })
        yield* store.add(pet("before"))
        proxy.stall()
        yield* Effect.fork(names(store))
        yield* Effect.sleep("50 millis")
      })
    )
    const [spent] = yield* timed(closed)
    expect(spent).toBeLessThan(3000)
    yield* Effect.sleep("100 millis")
    expect(proxy.connections()).toBe(0)
  })
})

describe("a server that does not answer", () => {
  live("fails the start within two seconds", function* () {
    const port = yield* Listener.make(() => {})
    yield* expectFailure(openStore({ url: urlOf("any", port) }), "down")
  })

  live("fails the start at once if nothing listens", function* () {
    const port = yield* Effect.scoped(Listener.make(() => {}))
    yield* Effect.sleep("10 millis")
    yield* expectFailure(openStore({ url: urlOf("any", port) }), "down")
  })
})

describe("a connection pooler that refuses the timeouts", () => {
  live("is reported as incompatible, with what to set", function* () {
    const fields = "SFATAL\0VFATAL\0C08P01\0Munsupported startup parameter: statement_timeout\0\0"
    const head = Buffer.alloc(5)
    head.write("E")
    head.writeInt32BE(4 + fields.length, 1)
    const port = yield* Listener.make((socket) => {
      socket.on("error", () => {})
      socket.once("data", () => socket.end(Buffer.concat([head, Buffer.from(fields)])))
    })
    const failure = yield* expectFailure(openStore({ url: urlOf("any", port) }), "incompatible")
    expect(failure).toMatchObject({
      cause: { message: expect.stringMatching(/PgBouncer.*ignore_startup_parameters/) }
    })
  })
})

describe("a server that is restarted", () => {
  live("fails operations while it is down, and works afterwards", function* () {
    const server = yield* Effect.acquireRelease(
      Effect.promise(() => LocalPostgres.start()),
      ({ remove }) => Effect.promise(remove)
    )
    // A server that is down refuses at once; one that is starting may be slow.
    const url = urlOf("postgres", server.port)
    const store = yield* openStore({ url, connectTimeout: "30 seconds" })
    yield* Effect.all([names(store), names(store), store.add(pet("before"))], { concurrency: 3 })
    yield* Effect.promise(server.stop)
    yield* expectFailure(store.add(pet("lost")), "down")
    yield* expectFailure(names(store), "down")
    yield* Effect.promise(server.start)
    yield* store.add(pet("after"))
    expect(yield* names(store)).toEqual(["before", "after"])
  })
})

describe("sessions", () => {
  live("bound each wait on the server, too", function* () {
    const { proxy, url } = yield* proxied
    const parameters = { application_name: "replica%201", lock_timeout: 3000 }
    yield* names(yield* openStore({ url: withParameters(url, parameters) }))
    for (const setting of [
      "application_name\0replica 1\0",
      "statement_timeout\x005000\0",
      "lock_timeout\x003000\0",
      "idle_in_transaction_session_timeout\x0010000\0"
    ]) {
      expect(proxy.sent()).toContain(setting)
    }
  })

  live("have more time for migrations and inspections, which may take long", function* () {
    const { proxy, url } = yield* proxied
    const patient = () => proxy.sent().split("statement_timeout\x00600000\0").length - 1
    yield* openStore({ url })
    const migrations = patient()
    expect(migrations).toBeGreaterThan(0)
    yield* PostgresInspection.exists({ url })
    expect(patient()).toBe(migrations + 1)
  })

  live("have the name that a variable gives them", function* () {
    vi.stubEnv("PGAPPNAME", "variable")
    yield* Effect.addFinalizer(() => Effect.sync(() => vi.unstubAllEnvs()))
    const { query } = yield* openPool(patient(urlOf("postgres")))
    expect(yield* query("SHOW application_name")).toEqual([["variable"]])
  })

  it("are few, bound each wait of this side, and are given up when the other side is gone", () => {
    expect(DriverConfig.make({ url: Redacted.make("postgres://host/pets") })).toMatchObject({
      max: 10,
      connectionTimeoutMillis: 1500,
      statement_timeout: 5000,
      answerMillis: 5500,
      lock_timeout: 2000,
      idleTimeoutMillis: 60_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000
    })
  })
})

describe("statements", () => {
  live("are parsed once for each connection", function* () {
    const { proxy, url } = yield* proxied
    const store = yield* openStore({ url, maxConnections: 1 })
    for (let round = 0; round < 5; round++) {
      yield* store.add(pet("Rex"))
      yield* store.list({ limit })
    }
    const count = (text: string) => proxy.sent().split(text).length - 1
    expect(count("petstore_add\0WITH")).toBe(1)
    // The table was empty for the first page only.
    expect(proxy.sent().match(/petstore_page_\d\0SELECT/g)).toEqual([
      "petstore_page_1\0SELECT",
      "petstore_page_7\0SELECT"
    ])
    expect(count("petstore_page_7\0")).toBeGreaterThanOrEqual(4)
  })
})

describe("an invalid URL", () => {
  live("is reported with what is wrong", function* () {
    for (const [parameters, message] of [
      ["sslrootcert=/no/such/file", /is invalid: ENOENT.*\/no\/such\/file/],
      ["sslmode=verify-ca", /is invalid: .*sslrootcert/]
    ] as const) {
      const url = Redacted.make(`${Redacted.value(urlOf("postgres"))}?${parameters}`)
      const failure = yield* expectFailure(openStore({ url }), "down")
      expect(failure).toMatchObject({ cause: { message: expect.stringMatching(message) } })
    }
  })
})

describe("the password", () => {
  live("is not part of any failure", function* () {
    const wrong = "postgres://petstore:very-secret@127.0.0.1"
    const failures = [
      yield* expectFailure(
        openStore({ url: Redacted.make(`${wrong}:${SharedPostgres.port()}/postgres`) }),
        "down"
      ),
      yield* expectFailure(openStore({ url: Redacted.make(`${wrong}:1/postgres`) }), "down"),
      yield* expectFailure(openStore({ url: Redacted.make(`${wrong}:no port/x`) }), "down")
    ]
    const text = inspect(failures, { depth: 20, showHidden: true }) + JSON.stringify(failures)
    expect(text).not.toContain("very-secret")
  })

  live("may be given apart from the URL", function* () {
    const url = new URL(Redacted.value(yield* emptyDatabase))
    url.password = ""
    process.env["PGPASSWORD"] = LocalPostgres.password
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        delete process.env["PGPASSWORD"]
      })
    )
    expect(yield* names(yield* openStore({ url: Redacted.make(url.href) }))).toEqual([])
    expect(url.username).toBe(LocalPostgres.user)
  })
})

// On a clock that stands still, a pool waits without end for a connection that it has not forgotten.
it.scoped("a pool forgets connections that were closed, and is forgotten when it is", () =>
  Effect.gen(function* () {
    const hosts = yield* Hosts.make(patient(urlOf("postgres")))
    const using = Effect.gen(function* () {
      const { query } = yield* ConnectionPool.make(hosts)
      yield* Effect.exit(query("SELECT pg_terminate_backend(pg_backend_pid())"))
      yield* query("SELECT 1")
    })
    // A fiber that the test does not wait for.
    const used = yield* Effect.forkDaemon(Effect.scoped(using))
    const isClosed = () => Option.isSome(Effect.runSync(Fiber.poll(used)))
    yield* Effect.promise(() => expect.poll(isClosed).toBe(true))
    expect(hosts.drops.size).toBe(0)
  })
)
