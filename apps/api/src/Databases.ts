/** The databases that `DATABASE_URL` can name. */
import { existsSync } from "node:fs"
import type { ApiKeyStore } from "@petstore/access/ApiKeyStore"
import type { PetStore } from "@petstore/domain/PetStore"
import type { StoreUnavailable } from "@petstore/domain/StoreUnavailable"
import * as MemoryApiKeyStore from "@petstore/store-memory/MemoryApiKeyStore"
import * as MemoryPetStore from "@petstore/store-memory/MemoryPetStore"
import * as SqliteBackup from "@petstore/store-sqlite/SqliteBackup"
import * as SqliteInspection from "@petstore/store-sqlite/SqliteInspection"
import * as SqliteStores from "@petstore/store-sqlite/SqliteStores"
import type * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"

/** Resource limits of the stores. */
export interface Limits {
  /** Size of the page cache in bytes. */
  readonly cacheBytes?: number
}

/** Maintenance of a persistent database. */
export interface Upkeep {
  /** Whether the database exists. */
  readonly exists: () => boolean
  /** Copies it to a file while it is in use. */
  readonly backup: (
    to: string,
    onProgress: (done: number) => void
  ) => Effect.Effect<
    void,
    SqliteBackup.BackupExists | SqliteBackup.BackupUnwritable | StoreUnavailable
  >
  /** Checks it without changing it. */
  readonly inspect: Effect.Effect<SqliteInspection.Inspection, StoreUnavailable>
}

/** A database, named by its URL. */
export interface Database {
  readonly url: string
  readonly layer: (limits: Limits) => Layer.Layer<PetStore | ApiKeyStore, StoreUnavailable>
  /** None for a database in memory. */
  readonly upkeep: Option.Option<Upkeep>
}

type Driver = Omit<Database, "url">

const memory: Driver = {
  layer: () => Layer.merge(MemoryPetStore.layer, MemoryApiKeyStore.layer),
  upkeep: Option.none()
}

const sqlite = (filename: string): Driver => ({
  layer: (limits) => SqliteStores.layer({ filename, ...limits }),
  upkeep: Option.some({
    exists: () => existsSync(filename),
    backup: (to, onProgress) => SqliteBackup.run({ filename, to, onProgress }),
    inspect: SqliteInspection.run(filename)
  })
})

/** The databases by URL scheme; `rest` is what follows the colon. */
const databases: Readonly<Record<string, (rest: string) => Driver | undefined>> = {
  memory: (rest) => (rest === "" ? memory : undefined),
  sqlite: (rest) => {
    const filename = rest.replace(/^\/\/(?=\/)/, "")
    return filename === "" || filename.startsWith(":") || filename.startsWith("//")
      ? undefined
      : sqlite(filename)
  }
}

/** The database that a URL names. */
export const parse = (url: string): Either.Either<Database, string> => {
  const [, scheme = "", rest = ""] = /^([a-z]+):(.*)$/s.exec(url) ?? []
  const database = Object.hasOwn(databases, scheme) ? databases[scheme]?.(rest) : undefined
  return database === undefined
    ? Either.left(`must be memory: or sqlite:<file>, not "${url}"`)
    : Either.right({ url, ...database })
}

/** The database if `DATABASE_URL` is not set. */
export const standard: Database = Either.getOrThrow(parse("sqlite:data/petstore.db"))
