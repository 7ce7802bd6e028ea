/** The server that all tests share. Its setup for vitest is `vitest.ts`. */
import { randomUUID } from "node:crypto"
import * as LocalPostgres from "@petstore/local-postgres/LocalPostgres"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import pg from "pg"
import { inject } from "vitest"
import type {} from "./vitest.ts"

export const port = (): number => inject("postgresPort")

/** The URL of a new, empty database, which is dropped with the scope. */
export const database: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.promise(() => LocalPostgres.createDatabase(port())),
  (url) => administer(`DROP DATABASE ${new URL(url).pathname.slice(1)} WITH (FORCE)`)
)

/** One connection for all tests of a process, made when it is needed. */
let session: pg.Pool | undefined

const administer = (sql: string) =>
  Effect.promise(async () => {
    session ??= new pg.Pool({
      connectionString: LocalPostgres.urlOf("postgres", port()),
      max: 1,
      idleTimeoutMillis: 0,
      allowExitOnIdle: true
    })
    await session.query(sql)
  })

/** The URL of a new, empty schema in a database that tests share: many times as fast as a database of its own. */
export const schema: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.suspend(() => {
    const name = `test_${randomUUID().replaceAll("-", "")}`
    return Effect.as(administer(`CREATE SCHEMA ${name}`), name)
  }),
  (name) => administer(`DROP SCHEMA ${name} CASCADE`)
).pipe(
  Effect.map((name) => {
    const options = encodeURIComponent(`-c search_path=${name}`)
    return `${LocalPostgres.urlOf("postgres", port())}?options=${options}`
  })
)
