/** The server that all tests share. Its setup for vitest is `vitest.ts`. */
import { randomUUID } from "node:crypto"
import * as LocalPostgres from "@petstore/local-postgres/LocalPostgres"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import pg from "pg"
import { inject } from "vitest"
import type {} from "./vitest.ts"

export const port = (): number => inject("postgresPort")

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

/** Makes a copy of a database, and returns its name. */
const copy = (of: string) =>
  Effect.suspend(() => {
    const name = `test_${randomUUID().replaceAll("-", "")}`
    return Effect.as(administer(`CREATE DATABASE ${name} TEMPLATE ${of} STRATEGY FILE_COPY`), name)
  })

const scopedCopy = (of: string) =>
  Effect.acquireRelease(copy(of), (name) => administer(`DROP DATABASE ${name} WITH (FORCE)`)).pipe(
    Effect.map((name) => LocalPostgres.urlOf(name, port()))
  )

/** The URL of a new, empty database, which is dropped with the scope. */
export const database: Effect.Effect<string, never, Scope.Scope> = scopedCopy("template1")

/** The same, but of databases that were prepared once: their migrations take longer than most tests. */
export const prepared = <E>(
  prepare: (url: string) => Effect.Effect<unknown, E, Scope.Scope>
): Effect.Effect<string, E, Scope.Scope> => {
  const original = copy("template1").pipe(
    Effect.tap((name) => Effect.scoped(prepare(LocalPostgres.urlOf(name, port())))),
    Effect.cached,
    Effect.runSync
  )
  return Effect.flatMap(original, scopedCopy)
}
