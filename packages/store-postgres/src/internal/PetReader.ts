/**
 * Reads of pets. Every read asks the database: other servers write to it, too. Of the reads that arrive together, pets
 * are read by one statement, and equal pages once.
 */
import * as Int64 from "@petstore/domain/Int64"
import type { Pet, PetId } from "@petstore/domain/Pet"
import type { ListPets, PetPage } from "@petstore/domain/PetPage"
import { PetNotFound, type PetStore } from "@petstore/domain/PetStore"
import type { StoreUnavailable } from "@petstore/domain/StoreUnavailable"
import * as Exit from "effect/Exit"
import { identity } from "effect/Function"
import * as Option from "effect/Option"
import * as Columns from "./Columns.ts"
import type { Database } from "./Database.ts"
import { type PetRow, petOf } from "./PetRow.ts"
import * as PostgresFailure from "./PostgresFailure.ts"
import * as Together from "./Together.ts"

const select = (name: string, condition: string) => ({
  name: `petstore_${name}`,
  text: `SELECT id, ${Columns.pet} FROM pets WHERE ${condition}`
})
const these = select("pets", "id = ANY($1::bigint[])")
const all = select("page", "id > $1 ORDER BY id LIMIT $2")
const some = select("page_by_status", "status = $3 AND id > $1 ORDER BY id LIMIT $2")

type Failure = PetNotFound | StoreUnavailable

/** Reads with this function. */
export const make = (send: Database["send"]): Pick<PetStore["Type"], "get" | "list"> => ({
  get: Together.make<PetId, Pet, Failure>(identity, (waiting) =>
    send<PetRow>(these, [waiting.map(({ what }) => what)], (exit) => {
      const rows = new Map(Exit.isSuccess(exit) ? exit.value.map((row) => [row[0], row]) : [])
      for (const { settle, what: id } of waiting) {
        const row = rows.get(id)
        if (Exit.isFailure(exit)) settle(Exit.failCause(exit.cause))
        else
          settle(
            row ? PostgresFailure.attempt(() => petOf(row)) : Exit.fail(new PetNotFound({ id }))
          )
      }
    })
  ),
  list: Together.make<ListPets, PetPage, StoreUnavailable>(
    ({ after, limit, status }) => `${after} ${limit} ${status}`,
    (waiting) => {
      for (const { settle, what } of waiting) {
        const { after = Int64.min, limit, status } = what
        const values = [after, limit + 1]
        const [statement, parameters] =
          status === undefined ? [all, values] : [some, [...values, status]]
        send<PetRow>(statement, parameters, (exit) =>
          settle(Exit.flatMap(exit, (rows) => PostgresFailure.attempt(() => pageOf(rows, limit))))
        )
      }
    }
  )
})

/** One row more than the limit was read, to know whether more follow. */
const pageOf = (rows: ReadonlyArray<PetRow>, limit: ListPets["limit"]): PetPage => {
  const pets: ReadonlyArray<Pet> = rows.slice(0, limit).map(petOf)
  const last = rows.length > limit ? pets.at(-1) : undefined
  return { pets, next: Option.map(Option.fromNullable(last), (pet) => pet.id) }
}
