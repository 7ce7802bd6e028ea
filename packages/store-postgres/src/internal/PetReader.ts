/**
 * Reads of pets. Every read asks the database: other servers write to it, too. Of the reads that arrive together, pets
 * are read by one statement, and equal pages once.
 */
import * as Int64 from "@petstore/domain/Int64"
import { columns, fromRow, type Pet, type PetId, type Row } from "@petstore/domain/Pet"
import { type ListPets, type PetPage, pageOf } from "@petstore/domain/PetPage"
import { PetNotFound, type PetStore } from "@petstore/domain/PetStore"
import type { StoreUnavailable } from "@petstore/domain/StoreUnavailable"
import * as Exit from "effect/Exit"
import { identity } from "effect/Function"
import type { Send } from "./ConnectionPool.ts"
import * as PostgresFailure from "./PostgresFailure.ts"
import * as SharedReads from "./SharedReads.ts"

const select = (name: string, condition: string) => ({
  name: `petstore_${name}`,
  text: `SELECT id, ${columns} FROM pets WHERE ${condition}`
})
const these = select("pets", "id = ANY($1::bigint[])")
const all = select("page", "id > $1 ORDER BY id LIMIT $2")
const some = select("page_by_status", "status = $3 AND id > $1 ORDER BY id LIMIT $2")

type Failure = PetNotFound | StoreUnavailable

/** Reads with this function. */
export const make = (send: Send): Pick<PetStore["Type"], "get" | "list"> => ({
  get: SharedReads.make<PetId, Pet, Failure>(identity, (waiting) =>
    send<Row>(these, [waiting.map(({ what }) => what)], (exit) => {
      const rows = new Map(Exit.isSuccess(exit) ? exit.value.map((row) => [row[0], row]) : [])
      for (const { settle, what: id } of waiting) {
        const row = rows.get(id)
        const pet = (): Exit.Exit<Pet, Failure> =>
          row ? PostgresFailure.attempt(() => fromRow(row)) : Exit.fail(new PetNotFound({ id }))
        settle(Exit.flatMap(exit, pet))
      }
    })
  ),
  list: SharedReads.make<ListPets, PetPage, StoreUnavailable>(
    ({ after, limit, status }) => `${after} ${limit} ${status}`,
    (waiting) => {
      for (const { settle, what } of waiting) {
        const { after = Int64.min, limit, status } = what
        const values = [after, limit + 1]
        const [statement, parameters] =
          status === undefined ? [all, values] : [some, [...values, status]]
        send<Row>(statement, parameters, (exit) =>
          settle(Exit.flatMap(exit, (rows) => PostgresFailure.attempt(() => pageOf(rows, limit))))
        )
      }
    }
  )
})
