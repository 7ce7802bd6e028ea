/** Reads of pets, on the event loop: they take microseconds and, in WAL mode, never wait for writers. */
import * as Int64 from "@petstore/domain/Int64"
import { columns, fromRow, type PetId, type Row } from "@petstore/domain/Pet"
import { type ListPets, type PetPage, pageOf } from "@petstore/domain/PetPage"
import type { Database } from "better-sqlite3"

/** Prepares every statement once. The functions throw SQLite's errors, and a failure for an invalid row. */
export const make = (database: Database) => {
  const select = <Parameters extends Array<unknown>>(condition: string) =>
    database.prepare<Parameters, Row>(`SELECT id, ${columns} FROM pets WHERE ${condition}`).raw()
  const one = select<[bigint]>("id = ?")
  const all = select<[bigint, number]>("id > ? ORDER BY id LIMIT ?")
  const some = select<[string, bigint, number]>("status = ? AND id > ? ORDER BY id LIMIT ?")
  const version = database.prepare("PRAGMA data_version").pluck()
  return {
    pet: (id: PetId) => {
      const row = one.get(id)
      return row && fromRow(row)
    },
    /**
     * The array is frozen: the cache returns it many times, and callers may cache what they derive from an array
     * that cannot change.
     */
    page: ({ after, limit, status }: ListPets): PetPage => {
      const from = after ?? Int64.min
      const rows =
        status === undefined ? all.all(from, limit + 1) : some.all(status, from, limit + 1)
      const { next, pets } = pageOf(rows, limit)
      return { pets: Object.freeze(pets), next }
    },
    /** A value that differs after every commit of another connection. */
    version: () => version.get()
  }
}
