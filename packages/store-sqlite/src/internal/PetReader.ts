/** Reads of pets, on the event loop: they take microseconds and, in WAL mode, never wait for writers. */
import * as Int64 from "@petstore/domain/Int64"
import type { Pet, PetId } from "@petstore/domain/Pet"
import type { ListPets, PetPage } from "@petstore/domain/PetPage"
import type { Database } from "better-sqlite3"
import * as Option from "effect/Option"
import * as Columns from "./Columns.ts"
import { type PetRow, petOf } from "./PetRow.ts"

/** Reads of pets. They throw SQLite's errors. */
export interface PetReader {
  readonly pet: (id: PetId) => Pet | undefined
  readonly page: (query: ListPets) => PetPage
  /** A value that differs after every commit of another connection. */
  readonly version: () => unknown
}

/** Prepares every statement once. */
export const make = (database: Database): PetReader => {
  const select = `SELECT id, ${Columns.pet} FROM pets`
  const one = database.prepare<[bigint], PetRow>(`${select} WHERE id = ?`).raw()
  const all = database
    .prepare<[bigint, number], PetRow>(`${select} WHERE id > ? ORDER BY id LIMIT ?`)
    .raw()
  const some = database
    .prepare<[string, bigint, number], PetRow>(
      `${select} WHERE status = ? AND id > ? ORDER BY id LIMIT ?`
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

/**
 * One row more than the limit was read, to know whether more follow. The array is frozen: the cache returns
 * it many times, and callers may cache what they derive from an array that cannot change.
 */
const pageOf = (rows: ReadonlyArray<PetRow>, limit: number): PetPage => {
  const pets = Object.freeze(rows.slice(0, limit).map(petOf))
  const last = rows.length > limit ? pets.at(-1) : undefined
  return { pets, next: Option.map(Option.fromNullable(last), (pet) => pet.id) }
}
