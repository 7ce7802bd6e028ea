/**
 * The store of pets in a SQLite file. Reads are made on the event loop: they take microseconds and, in WAL mode, never wait
 * for writers. Writes are made on other threads.
 */
import * as Direct from "@petstore/direct/Direct"
import * as Turn from "@petstore/direct/Turn"
import * as Idempotency from "@petstore/domain/Idempotency"
import * as Int64 from "@petstore/domain/Int64"
import * as Numbering from "@petstore/domain/Numbering"
import { columns, fromRow, PetId, petOf, type Row, valuesOf } from "@petstore/domain/Pet"
import { type ListPets, type PetPage, pageOf } from "@petstore/domain/PetPage"
import { PetNotFound, PetStore } from "@petstore/domain/PetStore"
import type { StoreUnavailable } from "@petstore/domain/StoreUnavailable"
import type { Database } from "better-sqlite3"
import * as Exit from "effect/Exit"
import * as FileIdentity from "./FileIdentity.ts"
import * as Importer from "./Importer.ts"
import * as PageCache from "./PageCache.ts"
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
  const select = <Parameters extends Array<unknown>>(condition: string) =>
    database.prepare<Parameters, Row>(`SELECT id, ${columns} FROM pets WHERE ${condition}`).raw()
  const one = select<[bigint]>("id = ?")
  const all = select<[bigint, number]>("id > ? ORDER BY id LIMIT ?")
  const some = select<[string, bigint, number]>("status = ? AND id > ? ORDER BY id LIMIT ?")
  /** Differs after every commit of another connection. */
  const dataVersion = database.prepare("PRAGMA data_version").pluck()
  const checkFiles = FileIdentity.rarely(options.check)
  let version: unknown
  const cached = PageCache.make(options.cacheBytes, () => version, options.onCache)

  /**
   * The array is frozen: the cache returns it many times, and callers may cache what they derive from an array
   * that cannot change.
   */
  const readPage = ({ after, limit, status }: ListPets): PetPage => {
    const from = after ?? Int64.min
    const rows = status === undefined ? all.all(from, limit + 1) : some.all(status, from, limit + 1)
    const { next, pets } = pageOf(rows, limit)
    return { pets: Object.freeze(pets), next }
  }

  // One look at the version of the file is enough for all reads of a turn, since they arrived before it.
  const readTogether = Turn.make<(look: Exit.Exit<void, StoreUnavailable>) => void>((reads) => {
    const look = attempt(() => {
      checkFiles()
      version = dataVersion.get()
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
        const row = one.get(id)
        return row === undefined ? Exit.fail(new PetNotFound({ id })) : Exit.succeed(fromRow(row))
      }),
    list: (query) => read(() => Exit.succeed(cached(query, readPage)))
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
