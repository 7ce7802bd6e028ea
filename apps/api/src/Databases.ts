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
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { withoutPassword } from "./Setting.ts"

/** What a store tells about its work, for metrics. */
export interface StoreEvents {
  /** So many writes were committed together. */
  readonly onBatch: (size: number) => void
  /** A page was in the cache, or was not. */
  readonly onCache: (isHit: boolean) => void
}

/** How a database is used. */
export interface Options {
  readonly cacheBytes: number
  readonly events?: StoreEvents | undefined
}

export interface Database {
  readonly url: string
  readonly layer: (options: Options) => Layer.Layer<PetStore | ApiKeyStore, StoreUnavailable>
}

/** A database in a file. */
export type DurableDatabase = ReturnType<typeof sqlite>

/** Whether a database outlives the process. */
export const isDurable = (database: Database): database is DurableDatabase => "inspect" in database

const memory: Database = {
  url: "memory:",
  layer: () => Layer.merge(MemoryPetStore.layer, MemoryApiKeyStore.layer)
}

const sqlite = (url: string, filename: string) => ({
  url,
  layer: (options: Options) => SqliteStores.layer({ filename, ...options }),
  exists: () => existsSync(filename),
  /** Copies it to a file while it is in use. */
  backup: (to: string, onProgress: (done: number) => void) =>
    SqliteBackup.run({ filename, to, onProgress }),
  /** Checks it without changing it. */
  inspect: SqliteInspection.run(filename)
})

export const parse = (url: string): Either.Either<Database, string> => {
  if (url === memory.url) return Either.right(memory)
  // Both sqlite:/file and sqlite:///file are absolute; sqlite::name: and sqlite://host are no files.
  const [, filename] = /^sqlite:(?:\/\/(?=\/))?(?!:|\/\/)(.+)$/s.exec(url) ?? []
  return filename === undefined
    ? Either.left(`must be memory: or sqlite:<file>, not "${withoutPassword(url)}"`)
    : Either.right(sqlite(url, filename))
}
