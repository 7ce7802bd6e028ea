/** `DATABASE_URL`: which database to use, where it is, and what can be done with it. */
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

/** What the stores may use, whichever they are. */
export interface Limits {
  /** How many bytes of pages they may keep in memory. */
  readonly cacheBytes?: number
}

/** What can be done with a database from outside, besides serving it. */
export interface Upkeep {
  /** Whether it was ever made. */
  readonly exists: () => boolean
  /** Copies it to a file while it is in use. */
  readonly backup: (
    to: string,
    onProgress: (done: number) => void
  ) => Effect.Effect<
    void,
    SqliteBackup.BackupExists | SqliteBackup.BackupUnwritable | StoreUnavailable
  >
  /** Looks at it without changing it. */
  readonly inspect: Effect.Effect<SqliteInspection.Inspection, StoreUnavailable>
}

/** A database as the environment names it. */
export interface Database {
  readonly url: string
  readonly layer: (limits: Limits) => Layer.Layer<PetStore | ApiKeyStore, StoreUnavailable>
  /** Nothing for a database that lives and dies with its server. */
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

/** Each scheme with the database that it names; `rest` is what follows the colon. */
const databases: Readonly<Record<string, (rest: string) => Driver | undefined>> = {
  memory: (rest) => (rest === "" ? memory : undefined),
  sqlite: (rest) => {
    const filename = rest.replace(/^\/\/(?=\/)/, "")
    return filename === "" || filename.startsWith(":") || filename.startsWith("//")
      ? undefined
      : sqlite(filename)
  }
}

/** The database that a URL names, or how to write one. */
export const parse = (url: string): Either.Either<Database, string> => {
  const [, scheme = "", rest = ""] = /^([a-z]+):(.*)$/s.exec(url) ?? []
  const database = Object.hasOwn(databases, scheme) ? databases[scheme]?.(rest) : undefined
  return database === undefined
    ? Either.left(`must be memory: or sqlite:<file>, not "${url}"`)
    : Either.right({ url, ...database })
}

/** The database of a service that was told none. */
export const standard: Database = Either.getOrThrow(parse("sqlite:data/petstore.db"))
