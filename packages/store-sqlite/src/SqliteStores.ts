/** The stores of pets and keys in one SQLite file. */
import { closeSync, openSync } from "node:fs"
import { dirname } from "node:path"
import { ApiKeyStore } from "@petstore/access/ApiKeyStore"
import { PetStore } from "@petstore/domain/PetStore"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Connection from "./internal/Connection.ts"
import * as DatabaseFile from "./internal/DatabaseFile.ts"
import * as Migrations from "./internal/Migrations.ts"
import * as OpenFile from "./internal/OpenFile.ts"
import * as SqliteApiKeyStore from "./internal/SqliteApiKeyStore.ts"
import * as SqliteFailure from "./internal/SqliteFailure.ts"
import * as SqlitePetStore from "./internal/SqlitePetStore.ts"
import * as Writer from "./internal/Writer.ts"

/** Called by the stores when something happens. */
export interface Events {
  /** Called with the number of writes in a batch. */
  readonly onBatch?: (size: number) => void
  /** A page was in the cache, or was not. */
  readonly onCache?: (isHit: boolean) => void
}

/** The file, and the size of the cache. */
export interface Options {
  /** The database file; it is created, with its folders, when it is missing. */
  readonly filename: string
  /** How many bytes of pages to keep in memory, roughly; 16 MiB by default. */
  readonly cacheBytes?: number
  readonly events?: Events | undefined
}

/** Durable stores in this file, for as long as the scope is open. */
export const make = (
  options: Options
): Effect.Effect<Context.Context<PetStore | ApiKeyStore>, StoreUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const { cacheBytes = 16 * 1024 * 1024, events: { onBatch, onCache } = {} } = options
    const filename = options.filename.trim()
    const target = yield* SqliteFailure.attempt(() => DatabaseFile.targetOf(filename))
    yield* SqliteFailure.attempt(() => DatabaseFile.makeFolder(dirname(target)))
    yield* Effect.ignore(Effect.try(() => makePrivate(target)))
    yield* Migrations.run(filename)
    const write = yield* Writer.make(filename, onBatch)
    // Reads block the event loop, so they do not wait for a lock; they hardly ever meet one.
    const reading = yield* Connection.open(filename, { readonly: true, timeout: 10 })
    const check = OpenFile.check(reading)
    const pets = SqlitePetStore.make(reading, write, { cacheBytes, check, filename, onCache })
    const keys = SqliteApiKeyStore.make(reading, write, check)
    return Context.add(Context.make(PetStore, pets), ApiKeyStore, keys)
  })

/** Durable stores in this file. */
export const layer = (options: Options): Layer.Layer<PetStore | ApiKeyStore, StoreUnavailable> =>
  Layer.scopedContext(make(options))

/**
 * Creates a missing file that only its owner can read; SQLite would also let others read it. SQLite itself
 * reports a file that cannot be created.
 */
const makePrivate = (filename: string): void => closeSync(openSync(filename, "wx", 0o600))
