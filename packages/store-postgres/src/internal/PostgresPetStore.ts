/**
 * The store of pets in a PostgreSQL database. Every read asks the database: other servers write to it, too. Those that
 * arrive together share statements.
 */

import type { Pet, PetId } from "@petstore/domain/Pet"
import { PetNotFound, PetStore } from "@petstore/domain/PetStore"
import * as Direct from "@petstore/kernel/Direct"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Columns from "@petstore/store-sql/Columns"
import { fromRow, type PetRow } from "@petstore/store-sql/PetRow"
import * as Arr from "effect/Array"
import * as Exit from "effect/Exit"
import { identity } from "effect/Function"
import type { ConnectionPool, Send } from "./ConnectionPool.ts"
import * as Importer from "./Importer.ts"
import * as PageReader from "./PageReader.ts"
import * as PostgresFailure from "./PostgresFailure.ts"
import * as SharedReads from "./SharedReads.ts"
import type { Add } from "./Writer.ts"

const statement = {
  name: "petstore_pets",
  text: `SELECT id, ${Columns.pet} FROM pets WHERE id = ANY($1::bigint[])`
}

/** The store of pets in this database that adds them with this function. */
export const make = (database: ConnectionPool, add: Add): PetStore["Type"] =>
  PetStore.of({
    add: (pet) => Direct.map(add({ pet }), (added) => added.pet),
    addOnce: (pet, once) => add({ pet, once }),
    addAll: (pets) => Importer.run(database, pets),
    get: getWith(database.send),
    list: PageReader.make(database.send)
  })

type Failure = PetNotFound | StoreUnavailable

const getWith = (send: Send): PetStore["Type"]["get"] => {
  type Gets = ReadonlyArray<SharedReads.Read<PetId, Pet, Failure>>
  const read = (gets: Gets): void =>
    send<PetRow>(statement, [gets.map(({ what }) => what)], (exit) => {
      if (gets.length > 1 && SharedReads.isDamaged(exit)) {
        for (const one of gets) read([one])
        return
      }
      const rows = new Map(Exit.isSuccess(exit) ? exit.value.map((row) => [row[0], row]) : [])
      for (const one of gets) {
        const row = rows.get(one.what)
        const pet = (): Exit.Exit<Pet, Failure> =>
          row
            ? PostgresFailure.attempt(() => fromRow(row))
            : Exit.fail(new PetNotFound({ id: one.what }))
        one.settle(Exit.flatMap(exit, pet))
      }
    })
  return SharedReads.make(identity, (gets) => {
    for (const part of Arr.chunksOf(gets, SharedReads.maxRows)) read(part)
  })
}
