/**
 * Imports pets, all or none, by one transaction: a few at a time they go to a table that only it sees, and to `pets` when
 * all have arrived.
 */
import { randomUUID } from "node:crypto"
import { PetId } from "@petstore/domain/Pet"
import { type Arrival, IdsTaken } from "@petstore/domain/PetStore"
import { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import { pet as columns } from "@petstore/store-sql/Columns"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import type { ConnectionPool, Query } from "./ConnectionPool.ts"
import { answerMargin } from "./DriverConfig.ts"
import { arrays, arraysOf } from "./Statement.ts"

/** How long a statement over all pets may take, and a commit that was not answered. */
const maxMillis = 600_000
/** How many pets are sent at a time: few enough for a slow network, as a name has at most 1,000 characters. */
const batchSize = 250

/** The pets come from somewhere else, at their own pace. */
const waitForPets = "SET LOCAL idle_in_transaction_session_timeout = 0"
const makeTable = `CREATE TEMPORARY TABLE petstore_import ON COMMIT DROP AS
  SELECT id AS nth, id AS place, id AS pet_id, ${columns} FROM pets LIMIT 0`
const stage = `INSERT INTO petstore_import (nth, place, pet_id, ${columns})
  SELECT $1::bigint + nth, place, pet_id, ${columns}
  FROM unnest($2::bigint[], $3::bigint[], ${arrays(4)})
    WITH ORDINALITY AS new (place, pet_id, ${columns}, nth)`

const takeTime = `SET LOCAL statement_timeout = ${maxMillis}`
const lockIds = "SELECT last FROM pet_ids FOR UPDATE"
/** By pets of the store or by earlier ones of the import. */
const findTaken = `SELECT place, pet_id, count(*) OVER () FROM (
    SELECT place, pet_id, nth, row_number() OVER (PARTITION BY pet_id ORDER BY nth) AS turn
    FROM petstore_import WHERE pet_id IS NOT NULL
  ) AS new
  WHERE turn > 1 OR EXISTS (SELECT 1 FROM pets WHERE pets.id = new.pet_id)
  ORDER BY place, nth LIMIT 100`
const copies = [
  `INSERT INTO pets (id, ${columns})
    SELECT pet_id, ${columns} FROM petstore_import WHERE pet_id IS NOT NULL`,
  `UPDATE pet_ids SET last = new.count + GREATEST(pet_ids.last, new.last)
    FROM (SELECT max(pet_id) AS last, count(*) - count(pet_id) AS count FROM petstore_import) AS new`,
  `INSERT INTO pets (id, ${columns})
    SELECT (SELECT last FROM pet_ids) + 1 - row_number() OVER (ORDER BY nth DESC), ${columns}
    FROM petstore_import WHERE pet_id IS NULL`
]

/** The outcome of an import, which is decided once: by the import itself, or by who asks for it, and waits if it commits now. */
const decide = `INSERT INTO import_outcomes (id, is_committed, at) VALUES ($1, $2, clock_timestamp())`
const decideFirst = `${decide} ON CONFLICT DO NOTHING`
const findOutcome = "SELECT is_committed FROM import_outcomes WHERE id = $1"
const forgetOld = "DELETE FROM import_outcomes WHERE at < now() - INTERVAL '1 day'"

/** Imports all of these pets, or none. */
export const run = <E>(
  { once, query }: Pick<ConnectionPool, "once" | "query">,
  pets: Stream.Stream<Arrival, E>
): Effect.Effect<number, E | IdsTaken | StoreUnavailable> =>
  Effect.suspend(() => {
    const id = randomUUID()
    let count = 0
    let isCommitting = false
    const body = (query: Query) => {
      const stageBatch = (arrivals: Chunk.Chunk<Arrival>) => {
        const first = count
        count += arrivals.length
        return query(stage, first, ...valuesOf(Chunk.toReadonlyArray(arrivals)))
      }
      return Effect.gen(function* () {
        yield* query(waitForPets)
        yield* query(makeTable)
        yield* pets.pipe(
          Stream.rechunk(batchSize),
          // While one batch is staged, the next ones are read.
          Stream.bufferChunks({ capacity: 4 }),
          Stream.runForEachChunk(stageBatch),
          Effect.interruptible
        )
        // Uninterruptible from here; the caller gets the outcome.
        yield* finish(query)
        yield* query(decide, id, true)
        isCommitting = true
      })
    }
    /** Whether it was committed. If not, it never will be: the import cannot decide that any more. */
    const isCommitted = Effect.zipRight(
      query(decideFirst, id, false),
      query<[boolean]>(findOutcome, id)
    ).pipe(
      Effect.map(([row]) => row?.[0] === true),
      // The commit is in progress, such as while it waits for a standby.
      Effect.retry({ while: ({ reason }) => reason === "busy", schedule: everySecond(maxMillis) }),
      Effect.retry({ while: ({ reason }) => reason !== "busy", schedule: everySecond(60_000) }),
      Effect.mapError(({ reason }) => new StoreUnavailable({ reason, cause: unknown }))
    )
    return Effect.ignore(query(forgetOld)).pipe(
      Effect.zipRight(once(body)),
      Effect.catchIf(
        () => isCommitting,
        (failure) => Effect.filterOrFail(isCommitted, Boolean, () => failure)
      ),
      Effect.map(() => count)
    )
  }).pipe(Effect.uninterruptible)

/** Gives all pets their ids and copies them. Fails if ids are taken. */
const finish = (query: Query) =>
  Effect.gen(function* () {
    const run = <R extends ReadonlyArray<unknown>>(text: string) =>
      query<R>({ text, answerMillis: maxMillis + answerMargin })
    yield* run(takeTime)
    yield* run(lockIds)
    const taken = yield* run<[place: bigint, id: bigint, count: bigint]>(findTaken)
    const [first] = taken
    if (first !== undefined)
      return yield* new IdsTaken({
        taken: taken.map(([place, id]) => ({ place: Number(place), id: PetId.make(id) })),
        count: Number(first[2])
      })
    for (const copy of copies) yield* run(copy)
  })

const everySecond = (millis: number) => Schedule.spaced("1 second").pipe(Schedule.upTo(millis))

const unknown = new Error(
  "the connection was lost during the commit, so it is not known whether the pets were added: look before you import them again"
)

const valuesOf = (arrivals: ReadonlyArray<Arrival>) => [
  arrivals.map(({ place }) => place),
  arrivals.map(({ pet }) => pet.id),
  ...arraysOf(arrivals.map(({ pet }) => pet))
]
