/** Reads of pets. Every read asks the database: other servers write to it, too. Those that arrive together share statements. */
import { columns, fromRow, type Pet, type PetId, type Row } from "@petstore/domain/Pet"
import { PetNotFound, type PetStore } from "@petstore/domain/PetStore"
import type { StoreUnavailable } from "@petstore/domain/StoreUnavailable"
import * as Exit from "effect/Exit"
import { identity } from "effect/Function"
import type { Send } from "./ConnectionPool.ts"
import * as PageReader from "./PageReader.ts"
import * as PostgresFailure from "./PostgresFailure.ts"
import * as SharedReads from "./SharedReads.ts"

const these = {
  name: "petstore_pets",
  text: `SELECT id, ${columns} FROM pets WHERE id = ANY($1::bigint[])`
}

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
  list: PageReader.make(send)
})
