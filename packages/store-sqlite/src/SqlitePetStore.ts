/** A PetStore that keeps pets in a SQLite file: reads here, writes on a thread of their own. */
import { existsSync, mkdirSync } from "node:fs"
import { dirname } from "node:path"
import * as Int64 from "@petstore/domain/Int64"
import { type NewPet, Pet, PetId } from "@petstore/domain/Pet"
import type { PetPage } from "@petstore/domain/PetPage"
import { PetStore, type StoreUnavailable } from "@petstore/domain/PetStore"
import Database from "better-sqlite3"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Migrations from "./Migrations.ts"
import * as SqliteFailure from "./SqliteFailure.ts"
import * as Writer from "./Writer.ts"

/** Where the pets are, and how long to wait for others who hold them. */
export interface Options {
  /** The database file; it is made, and its folders too, when it is missing. */
  readonly filename: string
  /** How long to wait for another process's lock before the store is busy; 5 seconds by default. */
  readonly busyTimeout?: Duration.DurationInput
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

    /** A read never waits inside SQLite, which would hold up everybody; it tries again later. */
    const read = <A>(evaluate: () => A): Effect.Effect<A, StoreUnavailable> => {
      const once = attempt(evaluate)
      return Effect.catchIf(once, isBusy, () =>
        Effect.retry(once, { while: isBusy, schedule: every10Millis(busyTimeout) })
      )
    }

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
      list: ({ after, limit, status }) =>
        read(() => {
          const from = after ?? Int64.min
          const rows =
            status === undefined ? all.all(from, limit + 1) : some.all(status, from, limit + 1)
          return pageOf(rows, limit)
        })
    })
  })

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

const isBusy = (failure: StoreUnavailable): boolean => failure.reason === "busy"

const every10Millis = (atMost: Duration.Duration) =>
  Schedule.spaced("10 millis").pipe(Schedule.upTo(atMost))

const petWith = (id: PetId, { name, categoryId, status }: NewPet): Pet =>
  status === undefined ? { id, name, categoryId } : { id, name, categoryId, status }

const decode = Schema.decodeUnknownOption(Schema.typeSchema(Pet))

/** A row that is no pet was not written by this store: the file is damaged. */
const petOf = ({ id, name, categoryId, status }: Row): Pet => {
  const fields = { id, name, categoryId }
  const pet = decode(status === null ? fields : { ...fields, status })
  if (Option.isSome(pet)) return pet.value
  throw SqliteFailure.corrupt(`the row of pet ${id} holds no pet`)
}

/** The rows were asked for with one too many, to see whether more follow. */
const pageOf = (rows: ReadonlyArray<Row>, limit: number): PetPage => {
  const pets = rows.slice(0, limit).map(petOf)
  const last = rows.length > limit ? pets.at(-1) : undefined
  return { pets, next: Option.map(Option.fromNullable(last), (pet) => pet.id) }
}
