/** Reads of pets, on the event loop: they take microseconds and, in WAL mode, wait for nobody. */
import * as Int64 from "@petstore/domain/Int64"
import { CategoryId, isPetName, type Pet, PetId } from "@petstore/domain/Pet"
import type { ListPets, PetPage } from "@petstore/domain/PetPage"
import { isPetStatus } from "@petstore/domain/PetStatus"
import type { Database } from "better-sqlite3"
import * as Option from "effect/Option"
import * as SqliteFailure from "./SqliteFailure.ts"

/** What can be read of pets. All of it throws what SQLite throws. */
export interface PetReader {
  readonly pet: (id: PetId) => Pet | undefined
  readonly page: (query: ListPets) => PetPage
  /** Another value after every commit of any other connection. */
  readonly version: () => unknown
}

type Row = readonly [id: bigint, name: string, categoryId: bigint, status: string | null]

/** Prepares every statement once. */
export const make = (database: Database): PetReader => {
  const columns = "SELECT id, name, category_id, status FROM pets"
  const one = database.prepare<[bigint], Row>(`${columns} WHERE id = ?`).raw()
  const all = database
    .prepare<[bigint, number], Row>(`${columns} WHERE id > ? ORDER BY id LIMIT ?`)
    .raw()
  const some = database
    .prepare<[string, bigint, number], Row>(
      `${columns} WHERE status = ? AND id > ? ORDER BY id LIMIT ?`
    )
    .raw()
  const version = database.prepare("PRAGMA data_version").pluck()
  return {
    pet: (id) => {
      const row = one.get(id)
      return row && petOf(row)
    },
    page: ({ after = Int64.min, limit, status }) =>
      pageOf(
        status === undefined ? all.all(after, limit + 1) : some.all(status, after, limit + 1),
        limit
      ),
    version: () => version.get()
  }
}

/** A row that is no pet was not written by this store: the file is damaged. */
const petOf = ([rowId, name, category, status]: Row): Pet => {
  if (!isPetName(name) || (status !== null && !isPetStatus(status))) {
    throw SqliteFailure.corrupt(`the row of pet ${rowId} holds no pet`)
  }
  const id = PetId.make(rowId, true)
  const categoryId = CategoryId.make(category, true)
  return status === null ? { id, name, categoryId } : { id, name, categoryId, status }
}

/**
 * The rows were asked for with one too many, to see whether more follow. The array is frozen: it is
 * handed out again and again, and whoever sees that it cannot change may remember what they made of it.
 */
const pageOf = (rows: ReadonlyArray<Row>, limit: number): PetPage => {
  const pets = Object.freeze(rows.slice(0, limit).map(petOf))
  const last = rows.length > limit ? pets.at(-1) : undefined
  return { pets, next: Option.map(Option.fromNullable(last), (pet) => pet.id) }
}
