/** A server that starts before its database answers. */
import { describe, expect } from "@effect/vitest"
import { PageLimit } from "@petstore/domain/PetPage"
import { PetStore } from "@petstore/domain/PetStore"
import { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as LocalPostgres from "@petstore/local-postgres/LocalPostgres"
import * as SharedPostgres from "@petstore/local-postgres/support/SharedPostgres"
import * as StallingProxy from "@petstore/local-postgres/support/StallingProxy"
import { Clock, Duration, Effect, Layer } from "effect"
import * as AwaitedDatabase from "../src/databases/AwaitedDatabase.ts"
import * as Databases from "../src/databases/Databases.ts"
import { examine } from "./support/Doctor.ts"
import { folder, live } from "./support/Folder.ts"
import { start } from "./support/Program.ts"
import { linesOf } from "./support/ServerLog.ts"

const ended = (environment: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const program = yield* start(yield* folder, environment)
    return yield* Effect.promise(() => program.ended)
  })

/** A clock that only pauses move on. */
const makeClock = () => {
  const pauses: Array<number> = []
  const now = () => pauses.reduce((sum, millis) => sum + millis, 0)
  const clock: Clock.Clock = Object.assign(Clock.make(), {
    currentTimeMillis: Effect.sync(now),
    sleep: (duration: Duration.Duration) =>
      Effect.sync(() => void pauses.push(Duration.toMillis(duration)))
  })
  return { clock, now, pauses }
}

describe("a server whose PostgreSQL does not answer yet", () => {
  live("is starting, says so once, and serves when it answers", function* () {
    const database = new URL(yield* SharedPostgres.database)
    const proxy = yield* StallingProxy.make(SharedPostgres.port())
    proxy.stall()
    database.port = String(proxy.port)
    const port = yield* Effect.promise(LocalPostgres.freePort)
    const metricsPort = yield* Effect.promise(LocalPostgres.freePort)
    const program = yield* start(yield* folder, {
      DATABASE_URL: database.href,
      PORT: String(port),
      // Each try to open the database finds the metrics of the last one.
      PETSTORE_METRICS_PORT: String(metricsPort),
      PETSTORE_START_TIMEOUT_SECONDS: "600"
    })
    yield* Effect.promise(() => program.until(/waiting for the database/))
    const answer = yield* Effect.promise(() => fetch(`http://127.0.0.1:${port}/readyz`))
    expect(answer.status).toBe(503)
    expect(yield* Effect.promise(() => answer.json())).toMatchObject({
      message: "the service is starting"
    })
    const metrics = fetch(`http://127.0.0.1:${metricsPort}/metrics`).then((read) => read.text())
    expect(yield* Effect.promise(() => metrics)).toContain("petstore_ready 0\n")
    proxy.resume()
    const url = yield* Effect.promise(() => program.url())
    expect((yield* Effect.promise(() => fetch(`${url}/readyz`))).status).toBe(200)
    expect(linesOf(program.stdout, /waiting for/)).toMatchObject([
      { level: "warn", message: expect.stringMatching(/for up to 600 s: DATABASE_URL postgres:/) }
    ])
  })

  live("ends with what is wrong when the time is over", function* () {
    const environment = {
      DATABASE_URL: "postgres://petstore:secret@127.0.0.1:1/pets",
      PETSTORE_START_TIMEOUT_SECONDS: "1"
    }
    const { code, stderr, stdout } = yield* ended(environment)
    expect(linesOf(stdout, /waiting/)).toHaveLength(1)
    const message =
      /^DATABASE_URL postgres:\/\/\*\*\*@127\.0\.0\.1:1\/pets cannot be used \(connect ECONNREFUSED \S+\): check that PostgreSQL runs.*\n?$/
    expect(stderr).toMatch(message)
    expect(code).toBe(3)
    const { of } = yield* examine(yield* folder, environment)
    expect(of("database")).toEqual([
      { subject: "database", state: "bad", message: expect.stringMatching(message) }
    ])
  })

  live("does not wait for a database that PostgreSQL does not have", function* () {
    const database = new URL(yield* SharedPostgres.database)
    database.pathname = "/none"
    const { code, stderr, stdout } = yield* ended({
      DATABASE_URL: database.href,
      PETSTORE_START_TIMEOUT_SECONDS: "600"
    })
    expect(stdout).toBe("")
    expect(stderr).toMatch(/database "none" does not exist/)
    expect(code).toBe(3)
  })

  const cut = new StoreUnavailable({
    reason: "down",
    cause: new Error("Connection terminated unexpectedly")
  })

  live("tries again if its connections are lost while it migrates", function* () {
    const database = yield* Databases.parse(yield* SharedPostgres.database)
    let tries = 0
    const losing: typeof database = {
      ...database,
      layer: (options) =>
        Layer.suspend(() => (++tries < 3 ? Layer.fail(cut) : database.layer(options)))
    }
    const stores = AwaitedDatabase.layer(losing, Duration.minutes(10), {})
    const { pets } = yield* Effect.flatMap(PetStore, (store) =>
      store.list({ limit: PageLimit.make(1) })
    ).pipe(Effect.provide(stores))
    expect([pets, tries]).toEqual([[], 3])
  })

  live("does not try again what is wrong for good once it answers", function* () {
    const database = yield* Databases.parse("postgres://127.0.0.1:1/pets")
    const newer = new StoreUnavailable({ reason: "incompatible" })
    let tries = 0
    const failing: typeof database = {
      ...database,
      layer: () => Layer.suspend(() => Layer.fail(++tries < 2 ? cut : newer))
    }
    const stores = AwaitedDatabase.layer(failing, Duration.minutes(10), {})
    const { clock, pauses } = makeClock()
    const error = yield* Effect.provide(PetStore, stores).pipe(Effect.flip, Effect.withClock(clock))
    expect([error, tries]).toEqual([newer, 2])
    expect(pauses).toEqual([500])
  })
})
