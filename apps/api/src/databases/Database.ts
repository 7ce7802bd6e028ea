/** What the program needs of a database, whichever it is. */
import type { ApiKeyStore } from "@petstore/access/ApiKeyStore"
import type { PetId } from "@petstore/domain/Pet"
import type { PetStore } from "@petstore/domain/PetStore"
import { NoIdLeft, type StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import type { Durability } from "@petstore/store-postgres/PostgresDurability"
import type { PoolState } from "@petstore/store-postgres/PostgresStores"
import type { Inspection } from "@petstore/store-sqlite/SqliteInspection"
import type * as SqliteRestore from "@petstore/store-sqlite/SqliteRestore"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { type CommandFailed, innermost, unavailable } from "../cli/CommandFailed.ts"

/** What a store tells about its work, for metrics. */
export interface StoreEvents {
  /** Called with the number of writes in a batch. */
  readonly onBatch: (size: number) => void
  /** A page was in the cache, or was not. */
  readonly onCache: (isHit: boolean) => void
  /** The database is a file, whose state can be read. */
  readonly onFile: (read: () => Promise<FileState>) => void
  /** The database is on a server, and the state of its connections can be read. */
  readonly onPool: (read: () => PoolState) => void
}

/** The state of a database in a file. */
export interface FileState {
  /** How much is free on its file system. */
  readonly freeBytes: number
  /** Its size, without that of its write-ahead log. */
  readonly bytes: number
  readonly logBytes: number
  /** When the last backup succeeded, in milliseconds; 0 for never. */
  readonly lastBackup: number
}

/** How a database is used. Each takes what concerns it. */
export interface Options {
  readonly cacheBytes?: number
  readonly poolSize?: number
  /** How long to wait for a connection to its server, if not as long as requests do. */
  readonly connectTimeout?: Duration.DurationInput | undefined
  readonly events?: StoreEvents | undefined
}

/** How commands use a database: once, and with more patience than a request has. */
export const forCommand: Options = { cacheBytes: 0, poolSize: 2, connectTimeout: "5 seconds" }

/** A kind of database: an adapter that `DATABASE_URL` can name. */
export interface Kind {
  /** The form of its URLs, such as `sqlite:<file>`. */
  readonly form: string
  /** The database of a URL, if the URL has that form. */
  readonly parse: (url: string) => Database | undefined
}

/** A database that `DATABASE_URL` names. */
export interface Database {
  /** The URL, as it may be shown: without a password. */
  readonly url: string
  /** What failed, and what to do about it. */
  readonly explain: (error: StoreUnavailable) => string
  /** Begins to load what takes long to load, beside the rest of a server, which then uses the layer. */
  readonly load?: Effect.Effect<void>
  readonly layer: (options: Options) => Layer.Layer<PetStore | ApiKeyStore, StoreUnavailable>
}

/** A database that outlives the process. */
export interface DurableDatabase extends Database {
  readonly exists: Effect.Effect<boolean, StoreUnavailable>
  /** Whether a failure means that its server does not answer yet; absent if it has none. */
  readonly mayAppear?: (error: StoreUnavailable) => boolean
  /** Checks it without changing it. */
  readonly inspect: Effect.Effect<Inspection, StoreUnavailable>
  /** The state of its file, if it is in one. */
  readonly file?: Effect.Effect<FileState, unknown>
  /** How its server protects acknowledged changes, if that depends on how it is configured. */
  readonly durability?: Effect.Effect<Durability, StoreUnavailable>
  /** The greatest id that was ever assigned, also to a pet that is gone; 0 for none. */
  readonly lastAssigned: Effect.Effect<PetId, StoreUnavailable>
  /** Never assigns this id or a lower one again. */
  readonly raiseLastAssigned: (id: PetId) => Effect.Effect<void, StoreUnavailable>
  /** Copies of its file; fails with what to use instead if it is on a server. */
  readonly backups: Effect.Effect<Backups, CommandFailed>
}

/** What makes and restores copies of a file. */
export interface Backups {
  /** Copies the database to a file while it is in use. */
  readonly make: (
    to: string,
    onProgress: (done: number) => void
  ) => Effect.Effect<void, CommandFailed | StoreUnavailable>
  /** Whether a file is a backup of the same database as another one, and not the database itself. */
  readonly compare: (
    file: string,
    backup: string
  ) => Effect.Effect<"same" | "other" | "unknown", StoreUnavailable>
  /** Checks a backup without changing it. */
  readonly inspect: (file: string) => Effect.Effect<Inspection, StoreUnavailable>
  /** Puts a backup in the place of the database. */
  readonly restore: (
    options: Omit<SqliteRestore.Options, "filename">
  ) => Effect.Effect<SqliteRestore.Restored, CommandFailed | StoreUnavailable>
}

/** A database failed, which explains the failure. */
export const fromStore =
  ({ explain }: Database) =>
  (error: StoreUnavailable): CommandFailed =>
    unavailable(explain(error), error)

/** Explains failures of the database of a URL by their reasons. */
export const explain =
  (url: string, remedies: Readonly<Record<StoreUnavailable["reason"], string>>) =>
  (error: StoreUnavailable): string => {
    const remedy = error.cause instanceof NoIdLeft ? forNoId : remedies[error.reason]
    return `DATABASE_URL ${url} cannot be used (${innermost(error).message}): ${remedy}`
  }

const forNoId = "export its pets, and import them with --new-ids into a new database"

export const isDurable = (database: Database): database is DurableDatabase => "inspect" in database

export type { Durability, Inspection }
