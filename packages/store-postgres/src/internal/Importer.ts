/**
 * Imports pets, all or none. They are staged in a table of their own, a few at a time and without a lock, until all
 * have arrived; then one transaction copies them to `pets`.
 */
import { createHash, randomUUID } from "node:crypto"
import type { Arrival, IdsTaken } from "@petstore/domain/PetStore"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import { pet as columns } from "@petstore/store-sql/Columns"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import type { ConnectionPool } from "./ConnectionPool.ts"
import * as ImportCommit from "./ImportCommit.ts"
import { arrays, arraysOf } from "./Statement.ts"

const start = "INSERT INTO pet_imports (id) VALUES ($1)"
const stage = {
  name: "petstore_stage",
  text: `INSERT INTO imported_pets (import, nth, place, pet_id, ${columns})
    SELECT $1::uuid, $2::bigint + nth, place, pet_id, ${columns}
    FROM unnest($3::bigint[], $4::bigint[], ${arrays(5)})
      WITH ORDINALITY AS new (place, pet_id, ${columns}, nth)`
}

/** Imports all of these pets, or none. */
export const run = <E>(
  { query, transaction }: ConnectionPool,
  pets: Stream.Stream<Arrival, E>
): Effect.Effect<number, E | IdsTaken | StoreUnavailable> =>
  Effect.gen(function* () {
    const id = randomUUID()
    const digest = createHash("sha256")
    let count = 0
    const { commit, discard, forget, sweep } = ImportCommit.make(transaction, id)
    yield* Effect.ignore(sweep)
    yield* Effect.acquireRelease(query(start, id), () => discard)
    const stageBatch = (arrivals: Chunk.Chunk<Arrival>) => {
      const first = count
      count += arrivals.length
      const rows = rowsOf(Chunk.toReadonlyArray(arrivals))
      digest.update(
        JSON.stringify(rows, (_, value) => (Predicate.isBigInt(value) ? `${value}` : value))
      )
      return query(stage, id, first, ...rows)
    }
    yield* pets.pipe(
      // While one batch is staged, the next ones are read.
      Stream.bufferChunks({ capacity: 4 }),
      Stream.transduce(batch),
      Stream.runForEach(stageBatch),
      Effect.interruptible
    )
    // Uninterruptible from here; the caller gets the outcome.
    yield* commit(digest.digest("hex"))
    yield* forget
    return count
  }).pipe(Effect.scoped, Effect.uninterruptible)

/** Some 500 pets, or fewer if they are long: as many as a statement can send in time, also over a slow network. */
const batch = Sink.foldWeighted<Chunk.Chunk<Arrival>, Arrival>({
  initial: Chunk.empty(),
  maxCost: 256 * 1024,
  cost: (_, { pet }) => 512 + pet.name.length,
  body: Chunk.append
})

const rowsOf = (arrivals: ReadonlyArray<Arrival>) => [
  arrivals.map(({ place }) => place),
  arrivals.map(({ pet }) => pet.id),
  ...arraysOf(arrivals.map(({ pet }) => pet))
]
