/** Brings a database to the schema that this version needs. */
import * as SqlClient from "@effect/sql/SqlClient"
import * as PgClient from "@effect/sql-pg/PgClient"
import { StoreUnavailable } from "@petstore/domain/StoreUnavailable"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type pg from "pg"
import { type Migration, migrations } from "./Migrations.ts"
import * as PostgresFailure from "./PostgresFailure.ts"

const table = "petstore_migrations"
const createTable = `CREATE TABLE IF NOT EXISTS ${table} (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  is_compatible BOOLEAN NOT NULL,
  created_at TIMESTAMPTZ NOT NULL DEFAULT now()
)`

interface Done {
  readonly id: number
  readonly name: string
  readonly is_compatible: boolean
}

/** The migrations that the database has; none if it has no table of them. */
const done = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe<Done>(`SELECT id, name, is_compatible FROM ${table} ORDER BY id`)
).pipe(
  Effect.catchIf(
    (error) => PostgresFailure.codeOf(error) === "42P01",
    () => Effect.succeed<ReadonlyArray<Done>>([])
  )
)

/** How many migrations the database has of those known here. Fails if it has one that prevents this program. */
const countKnown = Effect.flatMap(done, (found) => {
  const unknown = found.findLast(
    ({ id, is_compatible }) => id > migrations.length && !is_compatible
  )
  if (unknown === undefined) return Effect.succeed(Math.min(found.length, migrations.length))
  const known = `${migrations.length} (${migrations.at(-1)?.name})`
  return new StoreUnavailable({
    reason: "incompatible",
    cause: new Error(
      `it has schema version ${unknown.id} (${unknown.name}), this program knows ${known}`
    )
  })
})

/** How many migrations the database of a pool has, and how many it lacks. */
export const count = (pool: pg.Pool) =>
  Effect.map(on(pool)(countKnown), (known) => ({ known, missing: migrations.length - known }))

/** Claims a migration by its row, for which others wait, and makes its changes, in one transaction. */
const migrate = ({ isCompatible, name, statements }: Migration, id: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.withTransaction(
      Effect.zipRight(
        sql`INSERT INTO ${sql(table)} ${sql.insert({ id, name, is_compatible: isCompatible })}`,
        Effect.forEach(statements, (text) => sql.unsafe(text), { discard: true })
      )
    )
  )

const checkEncoding = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql.unsafe<{ readonly server_encoding: string }>("SHOW server_encoding")
  if (row?.server_encoding !== "UTF8") {
    const cause = new Error(`its encoding is ${row?.server_encoding}, not UTF8`)
    return yield* new StoreUnavailable({ reason: "incompatible", cause })
  }
})

const runMissing = Effect.gen(function* () {
  const known = yield* countKnown
  if (known === migrations.length) return
  const sql = yield* SqlClient.SqlClient
  yield* checkEncoding
  yield* sql.unsafe(createTable)
  yield* Effect.forEach(
    migrations.slice(known),
    (migration, nth) => migrate(migration, known + nth + 1),
    { discard: true }
  )
})

/**
 * What programs that migrate together run into: the same row or the same name, each other's locks, and tables that
 * are altered at this moment. The next try finds what the other one did.
 */
const isRivalry = (error: unknown): boolean =>
  /^(?:23505|42P07|42710|40001|40P01|55P03|XX000)$/.test(PostgresFailure.codeOf(error))

/** Runs statements of `@effect/sql-pg` on this pool. */
const on =
  (pool: pg.Pool) =>
  <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient>): Effect.Effect<A, StoreUnavailable> =>
    effect.pipe(
      Effect.provide(PgClient.layerFromPool({ acquire: Effect.succeed(pool) })),
      // A connection that is lost within a transaction is a failure and a defect, for its rollback.
      Effect.catchAllDefect(Effect.fail),
      Effect.mapError(PostgresFailure.from)
    )

/**
 * Runs the missing migrations on a pool of their own, which is made only if there are any. Programs that start together
 * wait for each other.
 */
export const run = (
  pool: pg.Pool,
  patientPool: Effect.Effect<pg.Pool, StoreUnavailable, Scope.Scope>
): Effect.Effect<void, StoreUnavailable> =>
  Effect.gen(function* () {
    const known = yield* on(pool)(countKnown)
    if (known === migrations.length) return
    const patient = yield* patientPool
    yield* Effect.retry(on(patient)(runMissing), {
      while: isRivalry,
      schedule: Schedule.spaced("50 millis").pipe(Schedule.jittered, Schedule.upTo("20 seconds"))
    })
  }).pipe(Effect.scoped)
