/** A PetStore that keeps pets in a SQLite file: reads here, writes on a thread of their own. */
import { existsSync, mkdirSync } from "node:fs"
import { dirname } from "node:path"
import * as Immediate from "@petstore/domain/Immediate"
import * as Int64 from "@petstore/domain/Int64"
import { CategoryId, isPetName, type NewPet, type Pet, PetId } from "@petstore/domain/Pet"
import type { ListPets, PetPage } from "@petstore/domain/PetPage"
import { isPetStatus } from "@petstore/domain/PetStatus"
import { PetStore, type StoreUnavailable } from "@petstore/domain/PetStore"
import Database from "better-sqlite3"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Migrations from "./Migrations.ts"
import * as PageCache from "./PageCache.ts"
import * as SqliteFailure from "./SqliteFailure.ts"
import * as Writer from "./Writer.ts"

/** Where the pets are, and how long to wait for others who hold them. */
export interface Options {
  /** The database file; it is made, and its folders too, when it is missing. */
  readonly filename: string
  /** How long to wait for another process's lock before the store is busy; 5 seconds by default. */
  readonly busyTimeout?: Duration.DurationInput
  /** How many bytes of pages to keep in memory, roughly; 16 MiB by default. */
  readonly cacheBytes?: number
}

/** A durable store in this file. */
export const layer = (options: Options): Layer.Layer<PetStore, StoreUnavailable> =>
  Layer.scoped(PetStore, make(options))

/** A durable store in this file, for as long as the scope is open. */
export const make = (options: Options) =>
  Effect.gen(function* () {
    const { filename } = options
    const busyTimeout = Duration.decode(options.busyTimeout ?? "5 seconds")
    yield* attempt(() => makeFolder(dirname(filename)))
    yield* Migrations.run(filename)
    const insert = yield* Writer.make({ filename, busyMillis: Duration.toMillis(busyTimeout) })
    const reader = yield* Effect.acquireRelease(
      attempt(() => open(filename)),
      (database) => Effect.sync(() => database.close())
    )
    const columns = "SELECT id, name, category_id, status FROM pets"
    const one = reader.prepare<[bigint], Row>(`${columns} WHERE id = ?`).raw()
    const all = reader
      .prepare<[bigint, number], Row>(`${columns} WHERE id > ? ORDER BY id LIMIT ?`)
      .raw()
    const some = reader
      .prepare<[string, bigint, number], Row>(
        `${columns} WHERE status = ? AND id > ? ORDER BY id LIMIT ?`
      )
      .raw()
    const version = reader.prepare("PRAGMA data_version").pluck()
    const cache = PageCache.make(options.cacheBytes ?? defaultCacheBytes, () => version.get())
    const readPage = ({ after, limit, status }: ListPets): PetPage => {
      const from = after ?? Int64.min
      return pageOf(
        status === undefined ? all.all(from, limit + 1) : some.all(status, from, limit + 1),
        limit
      )
    }
    const read = <A>(evaluate: () => A): Effect.Effect<A, StoreUnavailable> =>
      Immediate.make(() => {
        try {
          return Exit.succeed(evaluate())
        } catch (error) {
          return Exit.fail(SqliteFailure.from(error))
        }
      })

    return PetStore.of({
      add: (pet) =>
        Effect.map(insert([pet.name, pet.categoryId, pet.status ?? null]), (id) =>
          petWith(PetId.make(id, true), pet)
        ),
      get: (id) =>
        read(() => {
          const row = one.get(id)
          return row === undefined ? Option.none() : Option.some(petOf(row))
        }),
      list: (query) => read(() => cache(query, readPage))
    })
  })

const defaultCacheBytes = 16 * 1024 * 1024

/** Folder by folder: in some places, such as /proc, Node's own recursive way never ends. */
const makeFolder = (path: string): void => {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  try {
    mkdirSync(path)
  } catch (error) {
    // Somebody else may have made it meanwhile.
    if (!existsSync(path)) throw error
  }
}

type Row = readonly [id: bigint, name: string, categoryId: bigint, status: string | null]

const open = (filename: string) => {
  // In WAL mode a reader hardly ever meets a lock, and while it waits for one, all requests wait.
  const database = new Database(filename, { readonly: true, timeout: 10 })
  database.defaultSafeIntegers(true)
  return database
}

const attempt = <A>(evaluate: () => A): Effect.Effect<A, StoreUnavailable> =>
  Effect.try({ try: evaluate, catch: SqliteFailure.from })

const petWith = (id: PetId, { name, categoryId, status }: NewPet): Pet =>
  status === undefined ? { id, name, categoryId } : { id, name, categoryId, status }

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
