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
import { fromRow, isShortened, type PetRow, valuesOf } from "@petstore/store-sql/PetRow"
import * as Exit from "effect/Exit"
import type { Database } from "./Driver.ts"
import * as Importer from "./Importer.ts"
import * as OpenFile from "./OpenFile.ts"
import * as PageCache from "./PageCache.ts"
import * as SqliteFailure from "./SqliteFailure.ts"
import type { Settings } from "./WriteConnection.ts"
import type { Write } from "./Writer.ts"

/** Reads, unless the look at the file that was made for all has failed. Returns whether it is done. */
type Read = (failed: Exit.Exit<never, StoreUnavailable> | undefined) => boolean

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
    readonly onCache: ((isHit: boolean) => void) | undefined
    readonly settings: Settings
  }
): PetStore["Type"] => {
  const select = <Parameters extends Array<unknown>>(selected: string, condition: string) =>
    database.prepare<PetRow, Parameters>(`SELECT id, ${selected} FROM pets WHERE ${condition}`)
  const one = select<[bigint]>(Columns.pet, "id = ?")
  /** Reads pages: `short` reads all rows at once, unless one has a long text; `whole` reads as far as a page goes. */
  const selectPages = (filters: ReadonlyArray<ListPets.Filter>) => {
    const conditions = [...filters.map((name) => `${Columns.columnsOf([name])} = ?`), "id > ?"]
    const rowsOf = (selected: string) =>
      select(selected, `${conditions.join(" AND ")} ORDER BY id LIMIT ?`)
    const [short, whole] = [rowsOf(Columns.shortPet), rowsOf(Columns.pet)]
    const valuesOf = (query: ListPets.ListPets) => [
      ...filters.map((name) => query[name]),
      query.after ?? first,
      query.limit + 1
    ]
    return {
      short: (query: ListPets.ListPets) => {
        const rows = short.all(...valuesOf(query))
        return rows.some(isShortened) ? undefined : pageOf(rows, query.limit, fromRow)
      },
      whole: (query: ListPets.ListPets) =>
        pageOf(whole.iterate(...valuesOf(query)), query.limit, fromRow)
    }
  }
  /** By the filters that lists have had. */
  const pages = new Map<string, ReturnType<typeof selectPages>>()
  /** Differs after every commit of another connection. */
  const dataVersion = database.prepare<[bigint], []>("PRAGMA data_version")
  const checkFiles = OpenFile.rarely(options.check)
  let version: unknown
  const cached = PageCache.make(options.cacheBytes, () => version, options.onCache)

  const readPage = (query: ListPets.ListPets, form: "short" | "whole") => {
    const filters = ListPets.filtersOf(query)
    const reader = pages.get(filters.join()) ?? selectPages(filters)
    pages.set(filters.join(), reader)
    return reader[form](query)
  }

  // One look at the version of the file is enough for all reads of a turn, since they arrived before it.
  const readTogether = Turn.make<Read>((reads, defer, deferLong) => {
    const failed = attempt(() => {
      checkFiles()
      version = dataVersion.get()?.[0]
      return undefined
    })
    Turn.inTime(reads, (read) => void (read(failed) || deferLong(read)), defer)
  })
  /** Reads with this function. If it returns nothing, it takes long, and is called again later. */
  const read = <A, E = never>(evaluate: (nth: number) => Exit.Exit<A, E> | undefined) =>
    Direct.async<A, E | StoreUnavailable>((callback) => {
      let count = 0
      return readTogether((failed) => {
        const exit = failed ?? attempt(() => evaluate(count++))
        if (exit !== undefined) callback(exit)
        return exit !== undefined
      })
    })

  return PetStore.of({
    add: (pet) =>
      Direct.map(write("pets.add", valuesOf(pet)), (id) => petOf(PetId.make(id, true), pet)),
    addOnce: (pet, { at, expiredUpTo, key }) =>
      Direct.flatMap(
        write("pets.addOnce", valuesOf(pet), key, at, expiredUpTo),
        ({ isRepeat, row }) => attempt(() => Exit.succeed({ pet: fromRow(row), isRepeat }))
      ),
    addAll: (pets) => Importer.run(options.settings, pets),
    get: (id) =>
      read(() => {
        const row = one.get(id)
        return row === undefined ? Exit.fail(new PetNotFound({ id })) : Exit.succeed(fromRow(row))
      }),
    // Several long texts are read in a later turn, so that other reads do not wait for them.
    list: (query) =>
      read((nth) => {
        const mayTakeLong = nth > 0 || query.limit === 1
        const page = cached(query, mayTakeLong, () =>
          readPage(query, mayTakeLong ? "whole" : "short")
        )
        return page && Exit.succeed(page)
      })
  })
}

const attempt = <A>(evaluate: () => A): A | Exit.Exit<never, StoreUnavailable> => {
  try {
    return evaluate()
  } catch (error) {
    return Exit.fail(SqliteFailure.from(error))
  }
}
