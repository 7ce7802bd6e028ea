/** Commits an import, and finds out whether it was committed if that is not answered. */
import { PetId } from "@petstore/domain/Pet"
import { IdsTaken } from "@petstore/domain/PetStore"
import { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import { pet as columns } from "@petstore/store-sql/Columns"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { ConnectionPool, Query } from "./ConnectionPool.ts"
import * as PostgresFailure from "./PostgresFailure.ts"
import { answerMargin } from "./Settings.ts"

const maxCommit = 600_000
const maxEnd = 30_000
const maxRemoval = 10_000

const staged = "FROM imported_pets WHERE import = $1"

const lockIds = "SELECT last FROM pet_ids FOR UPDATE"
/** Not one that another import may remove before its outcome is known. */
const lockImport = `SELECT id FROM pet_imports
  WHERE id = $1 AND started > now() - INTERVAL '23 hours' FOR UPDATE`
/** An import of the same pets, committed before this one started, whose program did not get to know that. */
const takeOver = `DELETE FROM pet_imports WHERE digest = $2
    AND committed < (SELECT started FROM pet_imports WHERE id = $1) RETURNING id`
const note = "UPDATE pet_imports SET digest = $2, committed = clock_timestamp() WHERE id = $1"
/** By pets of the store or by earlier ones of the import. */
const findTaken = `SELECT place, pet_id, count(*) OVER () FROM (
    SELECT place, pet_id, nth, row_number() OVER (PARTITION BY pet_id ORDER BY nth) AS turn
    ${staged} AND pet_id IS NOT NULL
  ) AS new
  WHERE turn > 1 OR EXISTS (SELECT 1 FROM pets WHERE pets.id = new.pet_id)
  ORDER BY place, nth LIMIT 100`
const copyWithId = `INSERT INTO pets (id, ${columns}) SELECT pet_id, ${columns} ${staged} AND pet_id IS NOT NULL`
const raiseLast = `UPDATE pet_ids SET last = GREATEST(last, (SELECT coalesce(max(pet_id), 0) ${staged}))`
const copyWithoutId = `INSERT INTO pets (id, ${columns})
  SELECT (SELECT last FROM pet_ids) + row_number() OVER (ORDER BY nth), ${columns}
  ${staged} AND pet_id IS NULL`
const addToLast = `UPDATE pet_ids SET last = last + (SELECT count(*) ${staged} AND pet_id IS NULL)`

/** Removes what is left of programs that ended before their import did. */
const sweepOld = "DELETE FROM pet_imports WHERE started < now() - INTERVAL '1 day'"
const removeAny = "DELETE FROM pet_imports WHERE id = $1"
/** Waits for a commit that is in progress. */
const removeUncommitted = `${removeAny} AND committed IS NULL`
const find = "SELECT id FROM pet_imports WHERE id = $1"

/** The end of the import with this id. */
export const make = (transaction: ConnectionPool["transaction"], id: string) => {
  /** A transaction whose statements may each take this long: as long as the number of pets requires. */
  const within = <A, E>(millis: number, body: (run: Query<string>) => Effect.Effect<A, E>) =>
    transaction((run) =>
      Effect.zipRight(
        run(`SET LOCAL statement_timeout = ${millis}`),
        body((text, ...values) => run({ text, answerMillis: millis + answerMargin }, ...values))
      )
    )

  /** Whether it was committed. If not, it never will be. */
  const isCommitted = within(maxEnd, (run) =>
    Effect.zipRight(run(removeUncommitted, id), run(find, id))
  ).pipe(
    Effect.map((found) => found.length > 0),
    // The commit is in progress, such as while it waits for a standby.
    Effect.retry({ while: ({ reason }) => reason === "busy", schedule: everySecond(maxCommit) }),
    Effect.retry({ while: ({ reason }) => reason !== "busy", schedule: everySecond(60_000) }),
    Effect.mapError(({ reason }) => new StoreUnavailable({ reason, cause: unknown }))
  )

  return {
    /** Removes the rows of imports that started a day ago. */
    sweep: within(maxCommit, (run) => run(sweepOld)),
    /** Removes its rows unless it was committed. If that fails, a later import does. */
    discard: Effect.ignore(within(maxEnd, (run) => run(removeUncommitted, id))),
    /** Removes its rows once it is committed, or the next import of the same pets is taken for a repetition. */
    forget: within(maxEnd, (run) => run(removeAny, id)).pipe(
      Effect.retry(everySecond(maxRemoval)),
      Effect.catchAll(() => Effect.logWarning(notRemoved))
    ),
    /** Copies what is staged. Fails if ids are taken. */
    commit: (digest: string): Effect.Effect<void, IdsTaken | StoreUnavailable> => {
      let isCommitting = false
      return within(maxCommit, (run) =>
        Effect.tap(copy(run, id, digest), () => {
          isCommitting = true
        })
      ).pipe(
        Effect.catchIf(
          () => isCommitting,
          (failure) => Effect.unlessEffect(Effect.fail(failure), isCommitted)
        ),
        Effect.asVoid
      )
    }
  }
}

const copy = (run: Query<string>, id: string, digest: string) =>
  Effect.gen(function* () {
    yield* run(lockIds)
    const found = yield* run(lockImport, id)
    if (found.length === 0) {
      return yield* PostgresFailure.make("down", "the import took longer than a day")
    }
    const earlier = yield* run(takeOver, id, digest)
    if (earlier.length > 0) {
      yield* run(note, id, digest)
      yield* Effect.logWarning("an earlier import added the same pets; they are not added again")
      return
    }
    const taken = yield* run<[place: bigint, id: bigint, count: bigint]>(findTaken, id)
    const [first] = taken
    if (first !== undefined) {
      return yield* new IdsTaken({
        taken: taken.map(([place, id]) => ({ place: Number(place), id: PetId.make(id) })),
        count: Number(first[2])
      })
    }
    for (const statement of [copyWithId, raiseLast, copyWithoutId, addToLast]) {
      yield* run(statement, id)
    }
    yield* run(note, id, digest)
  })

const everySecond = (millis: number) => Schedule.spaced("1 second").pipe(Schedule.upTo(millis))

const unknown = new Error(
  "the connection was lost during the commit, so it is not known whether the pets were added; " +
    "import them again within a day, which adds them only once"
)

const notRemoved =
  "the pets were added, but the record of the import could not be removed; " +
  "if they are imported again within a day, they would not be added a second time"
