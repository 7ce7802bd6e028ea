/** Brings a database to the schema that this version needs. */
import * as SqlClient from "@effect/sql/SqlClient"
import * as PgClient from "@effect/sql-pg/PgClient"
import { StoreUnavailable } from "@petstore/domain/StoreUnavailable"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type pg from "pg"
import * as PostgresFailure from "./PostgresFailure.ts"

interface Migration {
  readonly name: string
  /** Whether versions of the program that do not know this migration work with it. */
  readonly isCompatible: boolean
  readonly statements: ReadonlyArray<string>
}

/** In order. A released migration is never edited, only followed by another. */
const migrations: ReadonlyArray<Migration> = [
  {
    name: "pets",
    isCompatible: false,
    statements: [
      `CREATE TABLE pets (
        id BIGINT PRIMARY KEY,
        name TEXT NOT NULL CHECK (name <> ''),
        category_id BIGINT NOT NULL,
        status TEXT CHECK (status IN ('available', 'pending', 'sold'))
      )`,
      "CREATE INDEX pets_by_status ON pets (status, id)",
      // One row: the greatest id that was ever assigned. Who assigns ids holds its lock until the commit, so
      // pets become visible in the order of their ids. A sequence would not do that.
      `CREATE TABLE pet_ids (
        one BOOLEAN PRIMARY KEY DEFAULT TRUE CHECK (one),
        last BIGINT NOT NULL
      )`,
      "INSERT INTO pet_ids (last) VALUES (0)"
    ]
  },
  {
    name: "imports",
    isCompatible: false,
    statements: [
      `CREATE TABLE pet_imports (
        id UUID PRIMARY KEY,
        started TIMESTAMPTZ NOT NULL DEFAULT now()
      )`,
      `CREATE TABLE imported_pets (
        import UUID NOT NULL REFERENCES pet_imports (id) ON DELETE CASCADE,
        nth BIGINT NOT NULL,
        place BIGINT NOT NULL,
        pet_id BIGINT,
        name TEXT NOT NULL,
        category_id BIGINT NOT NULL,
        status TEXT,
        PRIMARY KEY (import, nth)
      )`
    ]
  },
  {
    name: "api_keys",
    isCompatible: false,
    statements: [
      `CREATE TABLE api_keys (
        id TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        digest TEXT NOT NULL UNIQUE,
        scopes TEXT NOT NULL,
        created BIGINT NOT NULL,
        expires BIGINT,
        retires BIGINT,
        revoked BIGINT,
        last_used BIGINT,
        changed BIGINT NOT NULL
      )`,
      "CREATE INDEX api_keys_by_change ON api_keys (changed)",
      // One row: the number of changes, which each changed key has too, and the number at which keys were
      // removed last. There are no triggers, so a change by hand has to set both.
      `CREATE TABLE api_key_changes (
        one BOOLEAN PRIMARY KEY DEFAULT TRUE CHECK (one),
        count BIGINT NOT NULL,
        removed BIGINT NOT NULL
      )`,
      "INSERT INTO api_key_changes (count, removed) VALUES (0, 0)"
    ]
  }
]

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
  if (known >= migrations.length) return
  const sql = yield* SqlClient.SqlClient
  yield* checkEncoding
  yield* sql.unsafe(createTable)
  yield* Effect.forEach(migrations.slice(known), (migration, nth) =>
    migrate(migration, known + nth + 1)
  )
})

/**
 * What programs that migrate together run into: the same row or the same name, each other's locks, and tables that
 * are altered at this moment. The next try finds what the other one did.
 */
const isRivalry = (error: unknown): boolean =>
  /^(?:23505|42P07|42710|40001|40P01|55P03|XX000)$/.test(PostgresFailure.codeOf(error))

/** Runs the missing migrations. Programs that start together wait for each other. */
export const run = (pool: pg.Pool): Effect.Effect<void, StoreUnavailable> =>
  runMissing.pipe(
    Effect.provide(PgClient.layerFromPool({ acquire: Effect.succeed(pool) })),
    // A connection that is lost within a transaction is a failure and a defect, for its rollback.
    Effect.catchAllDefect(Effect.fail),
    Effect.retry({
      while: isRivalry,
      schedule: Schedule.spaced("50 millis").pipe(Schedule.jittered, Schedule.upTo("20 seconds"))
    }),
    Effect.mapError(PostgresFailure.from)
  )
