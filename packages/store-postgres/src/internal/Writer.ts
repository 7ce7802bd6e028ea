/** Adds pets in batches, with ids that become visible in order. */
import type * as Direct from "@petstore/direct/Direct"
import type { NewPet } from "@petstore/domain/Pet"
import type { StoreUnavailable } from "@petstore/domain/StoreUnavailable"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import * as Batches from "./Batches.ts"
import * as Columns from "./Columns.ts"
import { type Database, mostRetries } from "./Database.ts"
import { arraysOf } from "./PetRow.ts"
import * as PostgresFailure from "./PostgresFailure.ts"

/** Adds a pet. Succeeds with its id once it is committed. */
export type Add = (pet: NewPet) => Effect.Effect<bigint, StoreUnavailable>

/** One statement, so one round trip. The lock of the row of `pet_ids` is held until it is committed. */
const addPets = {
  name: "petstore_add",
  text: `WITH
    ids AS (UPDATE pet_ids SET last = last + $1::bigint RETURNING last),
    added AS (
      INSERT INTO pets (id, ${Columns.pet})
      SELECT ids.last - $1::bigint + new.nth, ${Columns.of("new", Columns.pet)}
      FROM ids, unnest(${Columns.petArrays(2)}) WITH ORDINALITY AS new (${Columns.pet}, nth)
    )
    SELECT last FROM ids`
}

/** Starts a queue of pets to add. When the scope closes, those that were accepted are added first. */
export const make = (
  { patience, send }: Pick<Database, "patience" | "send">,
  onBatch?: (size: number) => void
): Effect.Effect<Add, never, Scope.Scope> => {
  const commit = (
    pets: ReadonlyArray<NewPet>,
    callback: Direct.Callback<ReadonlyArray<bigint>, StoreUnavailable>,
    tries = 0
  ): void =>
    send<[last: bigint]>(addPets, [pets.length, ...arraysOf(pets)], (exit) => {
      if (tries < mostRetries && PostgresFailure.isFailureWith(exit, PostgresFailure.isConflict)) {
        commit(pets, callback, tries + 1)
      } else {
        callback(Exit.flatMap(exit, ([row]) => idsOf(row?.[0], pets.length)))
      }
    })
  // There may be ids for some of the pets when there are not for all.
  return Batches.make({ commit, isPartial: PostgresFailure.isOverflow, patience, onBatch })
}

/** So many ids, up to the last. */
const idsOf = (
  last: bigint | undefined,
  count: number
): Exit.Exit<ReadonlyArray<bigint>, StoreUnavailable> =>
  last === undefined
    ? Exit.fail(PostgresFailure.damaged("the table pet_ids has no row"))
    : Exit.succeed(Array.from({ length: count }, (_, nth) => last - BigInt(count - 1 - nth)))
