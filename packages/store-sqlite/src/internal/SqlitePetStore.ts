/** The store of pets in a SQLite file: reads on the event loop, writes on other threads. */

import * as Direct from "@petstore/direct/Direct"
import { PetId, petOf } from "@petstore/domain/Pet"
import { PetNotFound, PetStore } from "@petstore/domain/PetStore"
import type { StoreUnavailable } from "@petstore/domain/StoreUnavailable"
import type { Database } from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Importer from "./Importer.ts"
import * as PageCache from "./PageCache.ts"
import * as PetReader from "./PetReader.ts"
import { valuesOf } from "./PetRow.ts"
import * as SqliteFailure from "./SqliteFailure.ts"
import type { Write } from "./Writer.ts"

/** The store of pets that reads on this connection and writes with this function. */
export const make = (
  database: Database,
  write: Write,
  options: {
    readonly cacheBytes: number
    /** For connections of imports. */
    readonly settings: Importer.Settings
    /** Throws while the file is moved, deleted or replaced. */
    readonly checkFile: () => void
  }
): PetStore["Type"] => {
  const reader = PetReader.make(database)
  const cached = PageCache.make(options.cacheBytes, reader.version)
  const read = <A, E = never>(
    evaluate: () => Exit.Exit<A, E>
  ): Effect.Effect<A, E | StoreUnavailable> =>
    Direct.sync<A, E | StoreUnavailable>(() => {
      try {
        options.checkFile()
        return evaluate()
      } catch (error) {
        return Exit.fail(SqliteFailure.from(error))
      }
    })
  return PetStore.of({
    add: (pet) =>
      Direct.map(write(["addPet", valuesOf(pet)]), (id) => petOf(PetId.make(id, true), pet)),
    addAll: (pets) => Importer.run(options.settings, pets),
    get: (id) =>
      read(() => {
        const pet = reader.pet(id)
        return pet === undefined ? Exit.fail(new PetNotFound({ id })) : Exit.succeed(pet)
      }),
    list: (query) => read(() => Exit.succeed(cached(query, reader.page)))
  })
}
