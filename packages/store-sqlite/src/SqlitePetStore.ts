/** A PetStore that keeps pets in a SQLite file: reads here, writes on a thread of their own. */
import { existsSync, mkdirSync } from "node:fs"
import { dirname } from "node:path"
import * as Immediate from "@petstore/domain/Immediate"
import { type NewPet, type Pet, PetId } from "@petstore/domain/Pet"
import { PetStore, type StoreUnavailable } from "@petstore/domain/PetStore"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Migrations from "./Migrations.ts"
import * as PageCache from "./PageCache.ts"
import * as Reader from "./Reader.ts"
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

/** A durable store in this file, for as long as the scope is open. */
export const make = (
  options: Options
): Effect.Effect<PetStore["Type"], StoreUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const { busyTimeout = "5 seconds", cacheBytes = 16 * 1024 * 1024, filename } = options
    yield* attempt(() => makeFolder(dirname(filename)))
    yield* Migrations.run(filename)
    const insert = yield* Writer.make({ filename, busyMillis: Duration.toMillis(busyTimeout) })
    const reader = yield* Effect.acquireRelease(
      attempt(() => Reader.open(filename)),
      ({ close }) => Effect.sync(close)
    )
    const cached = PageCache.make(cacheBytes, reader.version)
    return PetStore.of({
      add: (pet) =>
        Effect.map(insert([pet.name, pet.categoryId, pet.status ?? null]), (id) =>
          petWith(PetId.make(id, true), pet)
        ),
      get: (id) => read(() => reader.pet(id)),
      list: (query) => read(() => cached(query, reader.page))
    })
  })

/** A durable store in this file. */
export const layer = (options: Options): Layer.Layer<PetStore, StoreUnavailable> =>
  Layer.scoped(PetStore, make(options))

const attempt = <A>(evaluate: () => A): Effect.Effect<A, StoreUnavailable> =>
  Effect.try({ try: evaluate, catch: SqliteFailure.from })

const read = <A>(evaluate: () => A): Effect.Effect<A, StoreUnavailable> =>
  Immediate.make(() => {
    try {
      return Exit.succeed(evaluate())
    } catch (error) {
      return Exit.fail(SqliteFailure.from(error))
    }
  })

const petWith = (id: PetId, { name, categoryId, status }: NewPet): Pet =>
  status === undefined ? { id, name, categoryId } : { id, name, categoryId, status }

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
