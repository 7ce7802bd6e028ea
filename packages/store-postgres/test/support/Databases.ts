/** Databases to keep stores in, and connections to them, as another program would have. */
import { randomUUID } from "node:crypto"
import { ApiKey } from "@petstore/access/ApiKey"
import { NewPet } from "@petstore/domain/Pet"
import { PageLimit } from "@petstore/domain/PetPage"
import { PetStore } from "@petstore/domain/PetStore"
import * as PostgresStores from "@petstore/store-postgres/PostgresStores"
import { Context, Effect, Redacted, Schema } from "effect"
import pg from "pg"
import { inject } from "vitest"
import { password, user } from "./Server.ts"

/** The URL of a database of the shared server, or of the server at another port. */
export const urlOf = (database: string, port: number = inject("port")) =>
  Redacted.make(`postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`)

/** A connection, closed with the scope. */
export const connect = (url: Redacted.Redacted) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new pg.Client(Redacted.value(url))
      client.on("error", () => {})
      await client.connect()
      return client
    }),
    (client) => Effect.promise(() => client.end())
  )

/** Runs a statement as the owner of the server. */
export const admin = (sql: string) =>
  Effect.scoped(
    Effect.flatMap(connect(urlOf("postgres")), (client) => Effect.promise(() => client.query(sql)))
  )

/** The URL of a new, empty database, dropped with the scope. */
export const database = Effect.acquireRelease(
  Effect.suspend(() => {
    const name = `test_${randomUUID().replaceAll("-", "")}`
    return Effect.as(admin(`CREATE DATABASE ${name}`), name)
  }),
  (name) => admin(`DROP DATABASE ${name} WITH (FORCE)`)
).pipe(Effect.map((name) => urlOf(name)))

/** A new database for each run, for the laws. */
export const place = Effect.map(database, (url) => PostgresStores.layer({ url }))

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
