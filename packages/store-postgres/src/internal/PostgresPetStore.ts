/** The store of pets in a PostgreSQL database. */
import * as Direct from "@petstore/direct/Direct"
import { IdempotencyRefused } from "@petstore/domain/Idempotency"
import { type Pet, PetId, petOf } from "@petstore/domain/Pet"
import { PetStore } from "@petstore/domain/PetStore"
import * as Exit from "effect/Exit"
import type { ConnectionPool } from "./ConnectionPool.ts"
import { otherPet } from "./IdempotentInserts.ts"
import * as Importer from "./Importer.ts"
import * as PetReader from "./PetReader.ts"
import type { Add } from "./Writer.ts"

/** The store of pets in this database that adds them with this function. */
export const make = (database: ConnectionPool, add: Add): PetStore["Type"] =>
  PetStore.of({
    ...PetReader.make(database.send),
    add: (pet) => Direct.map(add({ pet }), (id) => petOf(PetId.make(id, true), pet)),
    addOnce: (pet, once) =>
      Direct.flatMap(
        add({ pet, once }),
        (id): Exit.Exit<Pet, IdempotencyRefused> =>
          id === otherPet
            ? Exit.fail(new IdempotencyRefused())
            : Exit.succeed(petOf(PetId.make(id, true), pet))
      ),
    addAll: (pets) => Importer.run(database, pets)
  })
