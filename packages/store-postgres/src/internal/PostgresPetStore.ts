/** The store of pets in a PostgreSQL database. */
import * as Direct from "@petstore/direct/Direct"
import * as Numbering from "@petstore/domain/Numbering"
import { PetId, petOf } from "@petstore/domain/Pet"
import { PetStore } from "@petstore/domain/PetStore"
import type { ConnectionPool, Send } from "./ConnectionPool.ts"
import * as Importer from "./Importer.ts"
import * as PetReader from "./PetReader.ts"
import type { Add } from "./Writer.ts"

/** The store of pets in this database that reads and adds them with these functions. */
export const make = (database: ConnectionPool, read: Send, add: Add): PetStore["Type"] =>
  PetStore.of({
    ...PetReader.make(read),
    add: (pet) => Direct.map(add({ pet }), (id) => petOf(PetId.make(id, true), pet)),
    addOnce: (pet, once) =>
      Direct.flatMap(add({ pet, once }), (number) => Numbering.outcomeOf(number, pet)),
    addAll: (pets) => Importer.run(database, pets)
  })
