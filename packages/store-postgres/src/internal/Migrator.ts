/** Brings a database to the schema that this version needs. */
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type { ConnectionPool, Query } from "./ConnectionPool.ts"
import { migrations } from "./Migrations.ts"
import * as PostgresFailure from "./PostgresFailure.ts"

const table = "petstore_migrations"
const createTable = `CREATE TABLE IF NOT EXISTS ${table} (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  is_compatible BOOLEAN NOT NULL,
  created_at TIMESTAMPTZ NOT NULL DEFAULT now()
)`
const findDone = `SELECT id, name, is_compatible FROM ${table} ORDER BY id`
const claim = `INSERT INTO ${table} (id, name, is_compatible) VALUES ($1, $2, $3)`

type Done = readonly [id: number, name: string, isCompatible: boolean]

/**
 * How many migrations a database has of those known here, and how many it lacks. Fails if it has one that prevents
 * this program.
 */
export const count = (query: Query) =>
  Effect.gen(function* () {
    const found = yield* query<Done>(findDone).pipe(
      // The table is missing.
      Effect.catchIf(
        (error) => PostgresFailure.isMissing(error),
        () => Effect.succeed([])
      )
    )
    const unknown = found.findLast(
      ([id, , isCompatible]) => id > migrations.length && !isCompatible
    )
    if (unknown !== undefined) {
      const [id, name] = unknown
      const newest = `${migrations.length} (${migrations.at(-1)?.name})`
      const message = `it has schema version ${id} (${name}), this program knows ${newest}`
      return yield* PostgresFailure.make("incompatible", message)
    }
    const known = Math.min(found.length, migrations.length)
    return { known, missing: migrations.length - known }
  })

const runMissing = ({ query, transaction }: ConnectionPool) =>
  Effect.gen(function* () {
    const { known, missing } = yield* count(query)
    if (missing === 0) return
    const [encoding] = yield* query<[name: string]>("SHOW server_encoding")
    if (encoding?.[0] !== "UTF8") {
      const message = `its encoding is ${encoding?.[0]}, not UTF8`
      return yield* PostgresFailure.make("incompatible", message)
    }
    yield* query(createTable)
    for (const [nth, { isCompatible, name, statements }] of migrations.entries()) {
      if (nth < known) continue
      yield* transaction((run) =>
        // Others wait for the row of the migration until its changes are committed.
        Effect.zipRight(
          run(claim, nth + 1, name, isCompatible),
          Effect.forEach(statements, (statement) => run(statement), { discard: true })
        )
      )
    }
  })

/**
 * Runs the missing migrations on a pool of their own, which is made only if there are any. Programs that start together
 * wait for each other.
 */
export const run = (
  query: Query,
  patientPool: Effect.Effect<ConnectionPool, StoreUnavailable, Scope.Scope>
): Effect.Effect<void, StoreUnavailable> =>
  Effect.gen(function* () {
    if ((yield* count(query)).missing === 0) return
    yield* Effect.retry(runMissing(yield* patientPool), {
      while: PostgresFailure.isRivalry,
      schedule: Schedule.spaced("50 millis").pipe(Schedule.jittered, Schedule.upTo("20 seconds"))
    })
  }).pipe(Effect.scoped)
