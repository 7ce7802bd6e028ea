/**
 * Imports pets, all or none. They are staged in a table of their own, a few at a time and without a lock, until all
 * have arrived; then one transaction copies them to `pets`.
 */
import { randomUUID } from "node:crypto"
import { PetId } from "@petstore/domain/Pet"
import { type Arrival, IdsTaken } from "@petstore/domain/PetStore"
import type { StoreUnavailable } from "@petstore/domain/StoreUnavailable"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Columns from "./Columns.ts"
import type { Database, Query } from "./Database.ts"
import { arraysOf } from "./PetRow.ts"
import * as PostgresFailure from "./PostgresFailure.ts"
import { answerMargin } from "./Settings.ts"

const stagedAtOnce = 500
const longestCommit = 600_000
const longestEnd = 30_000

const staged = "FROM imported_pets WHERE import = $1"

/** A statement that takes as long as the number of pets requires, in a transaction that allows that. */
const long = (text: string, millis = longestCommit) => ({
  name: "",
  text,
  query_timeout: millis + answerMargin
})
const allow = (millis: number) => ({ name: "", text: `SET LOCAL statement_timeout = ${millis}` })

const start = { name: "", text: "INSERT INTO pet_imports (id) VALUES ($1)" }
const end = long("DELETE FROM pet_imports WHERE id = $1", longestEnd)
/** Removes what is left of programs that ended before their import did. */
const sweep = long("DELETE FROM pet_imports WHERE started < now() - INTERVAL '1 day'")
const stage = {
  name: "petstore_stage",
  text: `INSERT INTO imported_pets (import, nth, place, pet_id, ${Columns.pet})
    SELECT $1::uuid, $2::bigint + nth, place, pet_id, ${Columns.pet}
    FROM unnest($3::bigint[], $4::bigint[], ${Columns.petArrays(5)})
      WITH ORDINALITY AS new (place, pet_id, ${Columns.pet}, nth)`
}

const lockIds = { name: "", text: "SELECT last FROM pet_ids FOR UPDATE" }
const lockImport = { name: "", text: "SELECT id FROM pet_imports WHERE id = $1 FOR UPDATE" }
/** By pets of the store or by earlier ones of the import. */
const findTaken = long(
  `SELECT place, pet_id, count(*) OVER () FROM (
    SELECT place, pet_id, nth, row_number() OVER (PARTITION BY pet_id ORDER BY nth) AS turn
    ${staged} AND pet_id IS NOT NULL
  ) AS new
  WHERE turn > 1 OR EXISTS (SELECT 1 FROM pets WHERE pets.id = new.pet_id)
  ORDER BY place, nth LIMIT 100`
)
const copyWithId = long(
  `INSERT INTO pets (id, ${Columns.pet}) SELECT pet_id, ${Columns.pet} ${staged} AND pet_id IS NOT NULL`
)
const raiseLast = long(
  `UPDATE pet_ids SET last = GREATEST(last, (SELECT coalesce(max(pet_id), 0) ${staged}))`
)
const copyWithoutId = long(
  `INSERT INTO pets (id, ${Columns.pet})
  SELECT (SELECT last FROM pet_ids) + row_number() OVER (ORDER BY nth), ${Columns.pet}
  ${staged} AND pet_id IS NULL`
)
const addToLast = long(
  `UPDATE pet_ids SET last = last + (SELECT count(*) ${staged} AND pet_id IS NULL)`
)

/** Imports all of these pets, or none. */
export const run = <E>(
  { query, transaction }: Database,
  pets: Stream.Stream<Arrival, E>
): Effect.Effect<number, E | IdsTaken | StoreUnavailable> =>
  Effect.gen(function* () {
    const id = randomUUID()
    let count = 0
    yield* Effect.ignore(
      transaction((run) => Effect.zipRight(run(allow(longestCommit)), run(sweep)))
    )
    // What cannot be removed now is removed by a later import.
    const remove = transaction((run) => Effect.zipRight(run(allow(longestEnd)), run(end, id)))
    yield* Effect.acquireRelease(query(start, id), () => Effect.ignore(remove))
    yield* pets.pipe(
      Stream.rechunk(stagedAtOnce),
      // While one chunk is staged, the next ones are read.
      Stream.bufferChunks({ capacity: 4 }),
      Stream.runForEachChunk((chunk) => {
        const arrivals = Chunk.toReadonlyArray(chunk)
        const first = count
        count += arrivals.length
        return query(stage, id, first, ...rowsOf(arrivals))
      }),
      Effect.interruptible
    )
    // Uninterruptible from here; the caller gets the outcome.
    const taken = yield* transaction((run) => commit(run, id))
    if (taken === undefined) return count
    return yield* taken
  }).pipe(Effect.scoped, Effect.uninterruptible)

const rowsOf = (arrivals: ReadonlyArray<Arrival>) => [
  arrivals.map(({ place }) => place),
  arrivals.map(({ pet }) => pet.id),
  ...arraysOf(arrivals.map(({ pet }) => pet))
]

/** Copies what is staged, or returns which ids are taken. */
const commit = (run: Query, id: string) =>
  Effect.gen(function* () {
    yield* run(allow(longestCommit))
    yield* run(lockIds)
    const found = yield* run(lockImport, id)
    if (found.length === 0) {
      return yield* PostgresFailure.from(new Error("the import took longer than a day"))
    }
    const taken = yield* run<[place: bigint, id: bigint, count: bigint]>(findTaken, id)
    const [first] = taken
    if (first !== undefined) {
      return new IdsTaken({
        taken: taken.map(([place, id]) => ({ place: Number(place), id: PetId.make(id) })),
        count: Number(first[2])
      })
    }
    for (const statement of [copyWithId, raiseLast, copyWithoutId, addToLast]) {
      yield* run(statement, id)
    }
    return undefined
  })
