/** The store of pets in a SQLite file: reads on the event loop, writes on other threads. */
import * as Direct from "@petstore/direct/Direct"
import * as Turn from "@petstore/direct/Turn"
import * as Idempotency from "@petstore/domain/Idempotency"
import * as Numbering from "@petstore/domain/Numbering"
import { PetId, petOf, valuesOf } from "@petstore/domain/Pet"
import { PetNotFound, PetStore } from "@petstore/domain/PetStore"
import type { StoreUnavailable } from "@petstore/domain/StoreUnavailable"
import type { Database } from "better-sqlite3"
import * as Exit from "effect/Exit"
import * as FileIdentity from "./FileIdentity.ts"
import * as Importer from "./Importer.ts"
import * as PageCache from "./PageCache.ts"
import * as PetReader from "./PetReader.ts"
import * as SqliteFailure from "./SqliteFailure.ts"
import type { Settings } from "./WriteConnection.ts"
import type { Write } from "./Writer.ts"

/** The store of pets that reads on this connection and writes with this function. */
export const make = (
  database: Database,
  write: Write,
  options: {
    readonly cacheBytes: number
    /** Throws while the files are not those that other processes write to. */
    readonly check: () => void
    readonly onCache: ((isHit: boolean) => void) | undefined
    readonly settings: Settings
  }
): PetStore["Type"] => {
  const reader = PetReader.make(database)
  const checkFiles = FileIdentity.rarely(options.check)
  let version: unknown
  const cached = PageCache.make(options.cacheBytes, () => version, options.onCache)

  // One look at the version of the file is enough for all reads of a turn, since they arrived before it.
  const readTogether = Turn.make<(look: Exit.Exit<void, StoreUnavailable>) => void>((reads) => {
    const look = attempt(() => {
      checkFiles()
      version = reader.version()
      return Exit.void
    })
    const end = performance.now() + maxTurn
    // What is left of a long turn is read in the next one, so that other work is not held up.
    for (const read of reads) performance.now() < end ? read(look) : readTogether(read)
  })
  const read = <A, E = never>(evaluate: () => Exit.Exit<A, E>) =>
    Direct.async<A, E | StoreUnavailable>((callback) => {
      readTogether((look) => callback(Exit.flatMap(look, () => attempt(evaluate))))
      return () => {}
    })

  return PetStore.of({
    add: (pet) =>
      Direct.map(write(["pets.add", valuesOf(pet)]), (id) => petOf(PetId.make(id, true), pet)),
    addOnce: (pet, { at, key }) =>
      Direct.flatMap(
        write(["pets.addOnce", valuesOf(pet), key, at, Idempotency.expiredUpTo(at)]),
        (number) => Numbering.outcomeOf(number, pet)
      ),
    addAll: (pets) => Importer.run(options.settings, pets),
    get: (id) =>
      read(() => {
        const pet = reader.pet(id)
        return pet === undefined ? Exit.fail(new PetNotFound({ id })) : Exit.succeed(pet)
      }),
    list: (query) => read(() => Exit.succeed(cached(query, reader.page)))
  })
}

/** How many milliseconds the reads of a turn may take together. */
const maxTurn = 10

const attempt = <A, E>(evaluate: () => Exit.Exit<A, E>): Exit.Exit<A, E | StoreUnavailable> => {
  try {
    return evaluate()
  } catch (error) {
    return Exit.fail(SqliteFailure.from(error))
  }
}
