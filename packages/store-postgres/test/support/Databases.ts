/** Databases to keep stores in, and connections to them, as another program would have. */
import { expect, it } from "@effect/vitest"
import { ApiKey } from "@petstore/access/ApiKey"
import { NewPet } from "@petstore/domain/Pet"
import { PageLimit } from "@petstore/domain/PetPage"
import { PetStore } from "@petstore/domain/PetStore"
import * as LocalPostgres from "@petstore/local-postgres/LocalPostgres"
import * as Session from "@petstore/local-postgres/support/Session"
import * as SharedPostgres from "@petstore/local-postgres/support/SharedPostgres"
import * as PostgresStores from "@petstore/store-postgres/PostgresStores"
import { Context, Effect, Logger, Redacted, Schema, type Scope } from "effect"
import type { YieldWrap } from "effect/Utils"
import * as ConnectionPool from "../../src/internal/ConnectionPool.ts"
import * as Hosts from "../../src/internal/Hosts.ts"

/** A test that runs in real time, with a scope that is closed after it. */
export const live = (
  name: string,
  body: () => Generator<YieldWrap<Effect.Effect<unknown, unknown, Scope.Scope>>, void, never>
) => it.scopedLive(name, () => Effect.gen(body))

/** The URL of a database of the shared server, or of the server at another port. */
export const urlOf = (database: string, port: number = SharedPostgres.port()) =>
  Redacted.make(LocalPostgres.urlOf(database, port))

/** A connection, closed with the scope. */
export const connect = (url: Redacted.Redacted) => Session.connect(Redacted.value(url))

/** Runs statements on a connection of their own, and returns their rows. */
export const connectToRun = (url: Redacted.Redacted) =>
  Effect.map(connect(url), (other) => ({
    other,
    run: (sql: string, values: Array<unknown> = []) =>
      Effect.promise(async () => (await other.query(sql, values)).rows)
  }))

/** The result of an effect, and what it logged. */
export const logged = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const logs: Array<unknown> = []
    const logger = Logger.make(({ message }) => logs.push([message].flat()[0]))
    return Effect.map(
      Effect.provide(effect, Logger.replace(Logger.defaultLogger, logger)),
      (result) => ({ result, logs })
    )
  })

/** The same URL with more parameters, such as timeouts in milliseconds. */
export const withParameters = (
  url: Redacted.Redacted,
  parameters: Readonly<Record<string, string | number>>
) => {
  const text = Redacted.value(url)
  const added = Object.entries(parameters).map(([name, value]) => `${name}=${value}`)
  return Redacted.make(`${text}${text.includes("?") ? "&" : "?"}${added.join("&")}`)
}

/** This database, with timeouts for tests that are not about them: the machine may be slow. */
export const patient = (url: Redacted.Redacted) =>
  ({
    url: withParameters(url, { lock_timeout: 30_000, statement_timeout: 30_000 }),
    connectTimeout: "30 seconds"
  }) as const

/** The URL of a new, empty database, dropped with the scope. */
export const emptyDatabase = Effect.map(SharedPostgres.database, Redacted.make)

/** The same with the schema of a store. */
export const database = SharedPostgres.prepared((url) =>
  PostgresStores.make(patient(Redacted.make(url)))
).pipe(Effect.map(Redacted.make), Effect.orDie)

/** Runs a statement as the owner of the server. */
export const admin = (sql: string) =>
  Effect.promise(() => LocalPostgres.administer(SharedPostgres.port(), sql))

/** A pool of connections. */
export const openPool = (options: PostgresStores.Options) =>
  Effect.flatMap(Hosts.make(options), (hosts) => ConnectionPool.make(hosts))

/** A new database for each run, for the laws. */
export const place = Effect.map(database, (url) => PostgresStores.layer(patient(url)))

/** An option of a store, and a function that counts its connections. */
export const counted = () => {
  let read: (() => PostgresStores.PoolState) | undefined
  const onOpen = (given: () => PostgresStores.PoolState) => {
    read = given
  }
  return { onOpen, counts: () => read?.() ?? expect.unreachable() }
}

/** The store of pets alone. */
export const openStore = (options: PostgresStores.Options) =>
  Effect.map(PostgresStores.make(options), Context.get(PetStore))

/** A pet to add. */
export const pet = (name: string, status?: string): NewPet =>
  Schema.decodeUnknownSync(NewPet)({ name, categoryId: 1, ...(status && { status }) })

/** A key to add. */
export const key = Schema.decodeSync(ApiKey)({
  id: "0123456789",
  name: "the key of a test",
  digest: "a".repeat(64),
  scopes: ["pets:write", "pets:read"],
  created: 1_700_000_000_000
})

/** The greatest there is. */
export const limit = PageLimit.make(100)

/** The names of the first pets, by id. */
export const names = (store: PetStore["Type"]) =>
  Effect.map(store.list({ limit }), (page) => page.pets.map((one) => one.name))
