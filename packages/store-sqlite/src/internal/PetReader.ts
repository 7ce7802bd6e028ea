/** Reads of pets, on the event loop: they take microseconds and, in WAL mode, never wait for writers. */
import * as Int64 from "@petstore/domain/Int64"
import { fromRow, type Pet, type PetId, type Row } from "@petstore/domain/Pet"
import { type ListPets, type PetPage, pageOf } from "@petstore/domain/PetPage"
import type { Database } from "better-sqlite3"
import * as Columns from "./Columns.ts"
import * as SqliteFailure from "./SqliteFailure.ts"

/** Prepares every statement once. The functions throw SQLite's errors. */
export const make = (database: Database) => {
  const select = <Parameters extends Array<unknown>>(condition: string) =>
    database
      .prepare<Parameters, Row>(`SELECT id, ${Columns.pet} FROM pets WHERE ${condition}`)
      .raw()
  const one = select<[bigint]>("id = ?")
  const all = select<[bigint, number]>("id > ? ORDER BY id LIMIT ?")
  const some = select<[string, bigint, number]>("status = ? AND id > ? ORDER BY id LIMIT ?")
  const version = database.prepare("PRAGMA data_version").pluck()
  return {
    pet: (id: PetId) => {
      const row = one.get(id)
      return row && petOf(row)
    },
    /**
     * The array is frozen: the cache returns it many times, and callers may cache what they derive from an array
     * that cannot change.
     */
    page: ({ after, limit, status }: ListPets): PetPage => {
      const from = after ?? Int64.min
      const rows =
        status === undefined ? all.all(from, limit + 1) : some.all(status, from, limit + 1)
      const { next, pets } = pageOf(rows, limit, petOf)
      return { pets: Object.freeze(pets), next }
    },
    /** A value that differs after every commit of another connection. */
    version: () => version.get()
  }
}

/** The pet in a row. Throws for an invalid row: the file is damaged. */
const petOf = (row: Row): Pet => {
  const pet = fromRow(row)
  if (pet === undefined) throw SqliteFailure.corrupt(`the row of pet ${row[0]} is not a valid pet`)
  return pet
}
