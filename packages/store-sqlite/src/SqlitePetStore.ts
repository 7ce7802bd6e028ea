/** A PetStore that keeps pets in a SQLite file: reads here, writes on a thread of their own. */
import { existsSync, mkdirSync } from "node:fs"
import { dirname } from "node:path"
import * as Int64 from "@petstore/domain/Int64"
import { CategoryId, isPetName, type NewPet, type Pet, PetId } from "@petstore/domain/Pet"
import type { ListPets, PetPage } from "@petstore/domain/PetPage"
import { isPetStatus } from "@petstore/domain/PetStatus"
import { PetStore, type StoreUnavailable } from "@petstore/domain/PetStore"
import Database from "better-sqlite3"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
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
    const columns = "SELECT id, name, category_id AS categoryId, status FROM pets"
    const one = reader.prepare<[bigint], Row>(`${columns} WHERE id = ?`)
    const all = reader.prepare<[bigint, number], Row>(`${columns} WHERE id > ? ORDER BY id LIMIT ?`)
    const some = reader.prepare<[string, bigint, number], Row>(
      `${columns} WHERE status = ? AND id > ? ORDER BY id LIMIT ?`
    )

    const version = reader.prepare("PRAGMA data_version").pluck()
    const cache = PageCache.make(options.cacheBytes ?? defaultCacheBytes, () => version.get())
    const readPage = ({ after, limit, status }: ListPets): PetPage => {
      const from = after ?? Int64.min
      return pageOf(
        status === undefined ? all.all(from, limit + 1) : some.all(status, from, limit + 1),
        limit
      )
    }
    /** A read never waits inside SQLite, which would hold up everybody; it tries again later. */
    const read = <A>(evaluate: () => A): Effect.Effect<A, StoreUnavailable> =>
      Effect.suspend(() => {
        try {
          return Effect.succeed(evaluate())
        } catch (error) {
          const failure = SqliteFailure.from(error)
          return failure.reason === "busy"
            ? Effect.retry(attempt(evaluate), retrying(busyTimeout))
            : Effect.fail(failure)
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

interface Row {
  readonly id: bigint
  readonly name: string
  readonly categoryId: bigint
  readonly status: string | null
}

const open = (filename: string) => {
  const database = new Database(filename, { readonly: true, timeout: 0 })
  database.defaultSafeIntegers(true)
  return database
}

const attempt = <A>(evaluate: () => A): Effect.Effect<A, StoreUnavailable> =>
  Effect.try({ try: evaluate, catch: SqliteFailure.from })

const retrying = (atMost: Duration.Duration) => ({
  while: (failure: StoreUnavailable) => failure.reason === "busy",
  schedule: Schedule.spaced("10 millis").pipe(Schedule.upTo(atMost))
})

const petWith = (id: PetId, { name, categoryId, status }: NewPet): Pet =>
  status === undefined ? { id, name, categoryId } : { id, name, categoryId, status }

/** A row that is no pet was not written by this store: the file is damaged. */
const petOf = (row: Row): Pet => {
  const { name, status } = row
  if (!isPetName(name) || (status !== null && !isPetStatus(status))) {
    throw SqliteFailure.corrupt(`the row of pet ${row.id} holds no pet`)
  }
  const id = PetId.make(row.id, true)
  const categoryId = CategoryId.make(row.categoryId, true)
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
