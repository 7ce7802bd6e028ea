/** Reads of pets. Every read asks the database: other servers write to it, too. */
import * as Direct from "@petstore/direct/Direct"
import * as Int64 from "@petstore/domain/Int64"
import type { Pet } from "@petstore/domain/Pet"
import type { ListPets, PetPage } from "@petstore/domain/PetPage"
import { PetNotFound, type PetStore } from "@petstore/domain/PetStore"
import type { StoreUnavailable } from "@petstore/domain/StoreUnavailable"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Columns from "./Columns.ts"
import type { Query } from "./Database.ts"
import { type PetRow, petOf } from "./PetRow.ts"
import * as PostgresFailure from "./PostgresFailure.ts"

const select = (name: string, condition: string) => ({
  name: `petstore_${name}`,
  text: `SELECT id, ${Columns.pet} FROM pets WHERE ${condition}`
})
const one = select("pet", "id = $1")
const all = select("page", "id > $1 ORDER BY id LIMIT $2")
const some = select("page_by_status", "status = $3 AND id > $1 ORDER BY id LIMIT $2")

/** Reads with this function. */
export const make = (query: Query): Pick<PetStore["Type"], "get" | "list"> => ({
  get: (id) =>
    Direct.flatMap(
      query<PetRow>(one, id),
      ([row]): Exit.Exit<Pet, PetNotFound | StoreUnavailable> =>
        row === undefined ? Exit.fail(new PetNotFound({ id })) : attempt(() => petOf(row))
    ),
  list: ({ after = Int64.min, limit, status }) =>
    Direct.flatMap(
      status === undefined
        ? query<PetRow>(all, after, limit + 1)
        : query<PetRow>(some, after, limit + 1, status),
      (rows) => attempt(() => pageOf(rows, limit))
    )
})

/** One row more than the limit was read, to know whether more follow. */
const pageOf = (rows: ReadonlyArray<PetRow>, limit: ListPets["limit"]): PetPage => {
  const pets: ReadonlyArray<Pet> = rows.slice(0, limit).map(petOf)
  const last = rows.length > limit ? pets.at(-1) : undefined
  return { pets, next: Option.map(Option.fromNullable(last), (pet) => pet.id) }
}

const attempt = <A>(evaluate: () => A): Exit.Exit<A, StoreUnavailable> => {
  try {
    return Exit.succeed(evaluate())
  } catch (error) {
    return Exit.fail(PostgresFailure.from(error))
  }
}
