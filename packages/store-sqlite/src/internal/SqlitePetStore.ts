/**
 * The store of pets in a SQLite file. Reads are made on the event loop: they take microseconds and, in WAL mode, never wait
 * for writers. Writes are made on other threads.
 */

import * as ListPets from "@petstore/domain/ListPets"
import { PetId, petOf } from "@petstore/domain/Pet"
import { pageOf } from "@petstore/domain/PetPage"
import { PetNotFound, PetStore } from "@petstore/domain/PetStore"
import * as Direct from "@petstore/kernel/Direct"
import * as Int64 from "@petstore/kernel/Int64"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Turn from "@petstore/kernel/Turn"
import * as Columns from "@petstore/store-sql/Columns"
import { fromRow, type PetRow, valuesOf } from "@petstore/store-sql/PetRow"
import * as Exit from "effect/Exit"
import type { Database } from "./Driver.ts"
import * as Importer from "./Importer.ts"
import * as OpenFile from "./OpenFile.ts"
import * as PageCache from "./PageCache.ts"
import * as SqliteFailure from "./SqliteFailure.ts"
import type { Write } from "./Writer.ts"

/** Where lists begin. */
const first = PetId.make(Int64.min, true)

/** The store of pets that reads on this connection and writes with this function. */
export const make = (
  database: Database,
  write: Write,
  options: {
    readonly cacheBytes: number
    /** Throws while the files are not those that other processes write to. */
    readonly check: () => void
    readonly filename: string
    readonly onCache: ((isHit: boolean) => void) | undefined
  }
): PetStore["Type"] => {
  const select = <Parameters extends Array<unknown>>(condition: string) =>
    database.prepare<PetRow, Parameters>(`SELECT id, ${Columns.pet} FROM pets WHERE ${condition}`)
  const one = select<[bigint]>("id = ?")
  const selectPages = (filters: ReadonlyArray<ListPets.Filter>) => {
    const conditions = [...filters.map((name) => `${Columns.columnsOf([name])} = ?`), "id > ?"]
    const rows = select(`${conditions.join(" AND ")} ORDER BY id LIMIT ?`)
    return (query: ListPets.ListPets) => {
      const given = filters.map((name) => query[name])
      return pageOf(rows.all(...given, query.after ?? first, query.limit + 1), query.limit, fromRow)
    }
  }
  /** By the filters that lists have had. */
  const pages = new Map<string, ReturnType<typeof selectPages>>()
  /** Differs after every commit of another connection. */
  const dataVersion = database.prepare<[bigint], []>("PRAGMA data_version")
  const checkFiles = OpenFile.rarely(options.check)
  let version: unknown
  const cached = PageCache.make(options.cacheBytes, () => version, options.onCache)

  const readPage = (query: ListPets.ListPets) => {
    const filters = ListPets.filtersOf(query)
    const reader = pages.get(filters.join()) ?? selectPages(filters)
    pages.set(filters.join(), reader)
    return reader(query)
  }

  /** Reads together at the end of a turn, after one look that is enough for all, since they arrived before it. */
  const reading = (look: () => void) => {
    let failed: Exit.Exit<never, StoreUnavailable> | undefined
    const readTogether = Turn.makeRunner(() => {
      failed = attempt(() => void look())
    })
    return <A, E = never>(evaluate: () => Exit.Exit<A, E>) =>
      Direct.async<A, E | StoreUnavailable>((callback) =>
        readTogether(() => callback(failed ?? attempt(evaluate)))
      )
  }
  // They do not wait for pages, which may take long.
  const readOne = reading(checkFiles)
  const readPages = reading(() => {
    checkFiles()
    version = dataVersion.get()?.[0]
  })

  return PetStore.of({
    add: (pet) =>
      Direct.map(write("pets.add", valuesOf(pet)), (id) => petOf(PetId.make(id, true), pet)),
    addOnce: (pet, { at, expiredUpTo, key }) =>
      Direct.flatMap(
        write("pets.addOnce", valuesOf(pet), key, at, expiredUpTo),
        ({ isRepeat, row }) => attempt(() => Exit.succeed({ pet: fromRow(row), isRepeat }))
      ),
    addAll: (pets) => Importer.run(options.filename, pets),
    get: (id) =>
      readOne(() => {
        const row = one.get(id)
        return row === undefined ? Exit.fail(new PetNotFound({ id })) : Exit.succeed(fromRow(row))
      }),
    list: (query) => readPages(() => Exit.succeed(cached(query, () => readPage(query))))
  })
}

const attempt = <A>(evaluate: () => A): A | Exit.Exit<never, StoreUnavailable> => {
  try {
    return evaluate()
  } catch (error) {
    return Exit.fail(SqliteFailure.from(error))
  }
}
