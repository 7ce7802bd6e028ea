/**
 * The store of pets in a PostgreSQL database. Every read asks the database: other servers write to it, too. Those that
 * arrive together share statements.
 */
import * as Direct from "@petstore/direct/Direct"
import * as Numbering from "@petstore/domain/Numbering"
import { columns, fromRow, type Pet, PetId, petOf, type Row } from "@petstore/domain/Pet"
import { PetNotFound, PetStore } from "@petstore/domain/PetStore"
import type { StoreUnavailable } from "@petstore/domain/StoreUnavailable"
import * as Exit from "effect/Exit"
import { identity } from "effect/Function"
import type { ConnectionPool, Send } from "./ConnectionPool.ts"
import * as Importer from "./Importer.ts"
import * as PageReader from "./PageReader.ts"
import * as PostgresFailure from "./PostgresFailure.ts"
import * as SharedReads from "./SharedReads.ts"
import type { Add } from "./Writer.ts"

const these = {
  name: "petstore_pets",
  text: `SELECT id, ${columns} FROM pets WHERE id = ANY($1::bigint[])`
}

type Failure = PetNotFound | StoreUnavailable

/** The store of pets in this database that reads and adds them with these functions. */
export const make = (database: ConnectionPool, read: Send, add: Add): PetStore["Type"] =>
  PetStore.of({
    add: (pet) => Direct.map(add({ pet }), (id) => petOf(PetId.make(id, true), pet)),
    addOnce: (pet, once) =>
      Direct.flatMap(add({ pet, once }), (number) => Numbering.outcomeOf(number, pet)),
    addAll: (pets) => Importer.run(database, pets),
    get: SharedReads.make<PetId, Pet, Failure>(identity, (waiting) =>
      read<Row>(these, [waiting.map(({ what }) => what)], (exit) => {
        const rows = new Map(Exit.isSuccess(exit) ? exit.value.map((row) => [row[0], row]) : [])
        for (const { settle, what: id } of waiting) {
          const row = rows.get(id)
          const pet = (): Exit.Exit<Pet, Failure> =>
            row ? PostgresFailure.attempt(() => fromRow(row)) : Exit.fail(new PetNotFound({ id }))
          settle(Exit.flatMap(exit, pet))
        }
      })
    ),
    list: PageReader.make(read)
  })
