/** Reads of pets, on the event loop: they take microseconds and, in WAL mode, never wait for writers. */
import * as Int64 from "@petstore/domain/Int64"
import type { PetId } from "@petstore/domain/Pet"
import type { ListPets, PetPage } from "@petstore/domain/PetPage"
import type { Database } from "better-sqlite3"
import * as Option from "effect/Option"
import * as Columns from "./Columns.ts"
import { type PetRow, petOf } from "./PetRow.ts"

/** Prepares every statement once. The functions throw SQLite's errors. */
export const make = (database: Database) => {
  const select = <Parameters extends Array<unknown>>(condition: string) =>
    database
      .prepare<Parameters, PetRow>(`SELECT id, ${Columns.pet} FROM pets WHERE ${condition}`)
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
    page: ({ after, limit, status }: ListPets) => {
      const from = after ?? Int64.min
      const most = limit + 1
      return pageOf(
        status === undefined ? all.all(from, most) : some.all(status, from, most),
        limit
      )
    },
    /** A value that differs after every commit of another connection. */
    version: () => version.get()
  }
}

/**
 * One row more than the limit was read, to know whether more follow. The array is frozen: the cache returns
 * it many times, and callers may cache what they derive from an array that cannot change.
 */
const pageOf = (rows: ReadonlyArray<PetRow>, limit: number): PetPage => {
  const pets = Object.freeze(rows.slice(0, limit).map(petOf))
  const last = rows.length > limit ? pets.at(-1) : undefined
  return { pets, next: Option.map(Option.fromNullable(last), (pet) => pet.id) }
}
