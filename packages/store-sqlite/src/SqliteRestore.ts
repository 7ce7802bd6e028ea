/** Puts a backup in the place of a database file that no process uses. */
import { existsSync, lstatSync, realpathSync, statSync } from "node:fs"
import { chown, copyFile, rename, rm, stat } from "node:fs/promises"
import { dirname } from "node:path"
import type { ApiKey } from "@petstore/access/ApiKey"
import { StoreUnavailable } from "@petstore/domain/StoreUnavailable"
import type { Database } from "better-sqlite3"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Connection from "./internal/Connection.ts"
import { CopyUnwritable } from "./internal/CopyUnwritable.ts"
import * as ExclusiveAccess from "./internal/ExclusiveAccess.ts"
import * as FileIdentity from "./internal/FileIdentity.ts"
import * as Folder from "./internal/Folder.ts"
import * as KeyReader from "./internal/KeyReader.ts"
import * as Migrations from "./internal/Migrations.ts"
import * as PartialCopy from "./internal/PartialCopy.ts"
import * as SqliteFailure from "./internal/SqliteFailure.ts"
import * as NewFile from "./NewFile.ts"
import * as SqliteInspection from "./SqliteInspection.ts"

export { CopyUnwritable }

/** The backup cannot be used. */
export class BackupUnusable extends Data.TaggedError("BackupUnusable")<{
  readonly backup: string
  readonly why: string
}> {
  override get message() {
    return `${this.backup} cannot be restored: ${this.why}`
  }
}

/** There is a database already. */
export class DatabaseExists extends Data.TaggedError("DatabaseExists")<{
  readonly filename: string
}> {
  override get message() {
    return `${this.filename} exists already`
  }
}

/** There is no database, but the log of one: SQLite would apply it to the restored file. */
export class LogLeft extends Data.TaggedError("LogLeft")<{ readonly log: string }> {
  override get message() {
    return `${this.log} is left from another database`
  }
}

/** Another process has the database open. */
export class DatabaseInUse extends Data.TaggedError("DatabaseInUse")<{
  readonly filename: string
}> {
  override get message() {
    return `${this.filename} is open in another process`
  }
}

/** Which backup to restore, and where. */
export interface Options {
  readonly backup: string
  readonly filename: string
  /** Whether to replace an existing database, which is kept under another name. */
  readonly replaces: boolean
  /** Called with the part that is copied, from 0 to 1. */
  readonly onProgress?: (done: number) => void
}

/** What was restored, and what it replaced. */
export interface Restored {
  /** The pets and keys of the backup; none if it has an older schema, which the stores migrate. */
  readonly content: Option.Option<{ readonly pets: number; readonly keys: ReadonlyArray<ApiKey> }>
  readonly replaced: Option.Option<{
    /** The new name of the old database. */
    readonly file: string
    /** Its keys, if they can be read. */
    readonly keys: Option.Option<ReadonlyArray<ApiKey>>
  }>
}

/** Why a backup was not restored. */
export type Failure =
  | BackupUnusable
  | DatabaseExists
  | LogLeft
  | DatabaseInUse
  | CopyUnwritable
  | StoreUnavailable

/**
 * Copies the backup beside the database, checks the copy, and then puts it in its place. An interruption before
 * changes nothing; after, the caller gets the outcome.
 */
export const run = (options: Options): Effect.Effect<Restored, Failure> =>
  Effect.gen(function* () {
    const { backup, onProgress, replaces } = options
    const exists = existsSync(options.filename)
    const filename = exists ? withoutLink(options.filename) : options.filename
    // So that a driver that cannot be loaded is not reported as a problem of the backup.
    yield* Connection.open(":memory:", {})
    const source = yield* openBackup(backup)
    if (FileIdentity.isSame(backup, filename)) {
      return yield* new BackupUnusable({ backup, why: "it is the database itself" })
    }
    if (exists && !replaces) return yield* new DatabaseExists({ filename })
    const log = logs.map((suffix) => filename + suffix).find((file) => existsSync(file))
    if (!exists && log !== undefined) return yield* new LogLeft({ log })
    yield* SqliteFailure.attempt(() => Folder.make(dirname(filename)))
    const old = exists ? Option.some(yield* access(filename)) : Option.none()

    const { content, partial } = yield* Effect.gen(function* () {
      const copying = PartialCopy.make(source, { to: filename, ...(onProgress && { onProgress }) })
      const partial = yield* explained(backup, copying)
      return { partial, content: yield* contentOf(backup, partial) }
    }).pipe(Effect.interruptible)
    if (Option.isSome(old)) {
      const { file, keys } = old.value
      yield* replace(partial, filename, old.value)
      return { content, replaced: Option.some({ file, keys }) }
    }
    const isNew = yield* PartialCopy.writing(filename, () => NewFile.publish(partial, filename))
    return isNew ? { content, replaced: Option.none() } : yield* new DatabaseExists({ filename })
  }).pipe(Effect.scoped, Effect.uninterruptible)

const logs = ["-wal", "-journal"]

/** A symbolic link stays one: the file that it names is replaced. */
const withoutLink = (path: string): string =>
  lstatSync(path).isSymbolicLink() ? realpathSync(path) : path

/** Opens a backup if it is one that this version can use. */
const openBackup = (backup: string) =>
  Effect.gen(function* () {
    const unusable = (why: string) => new BackupUnusable({ backup, why })
    const found = statSync(backup, { throwIfNoEntry: false })
    if (found === undefined) return yield* unusable("there is no such file")
    if (!found.isFile()) return yield* unusable("it is not a file")
    const database = yield* Connection.open(backup, { fileMustExist: true })
    const { isPetStore, problems } = yield* SqliteFailure.attempt(() => {
      // A connection opened as read-only would leave a log beside the file when it is closed.
      database.pragma("query_only = ON")
      return Migrations.examine(database)
    })
    if (!isPetStore) return yield* unusable("it is not a Pet Store database")
    return problems.length === 0 ? database : yield* unusable(problems.join("; "))
  }).pipe((opening) => explained(backup, opening))

/** Reports failures of SQLite as those of the backup. */
const explained = <A, E, R>(backup: string, effect: Effect.Effect<A, E | StoreUnavailable, R>) =>
  Effect.mapError(effect, (error) =>
    error instanceof StoreUnavailable
      ? new BackupUnusable({ backup, why: SqliteFailure.messageOf(error) })
      : error
  )

/** What a copy of the backup holds. */
const contentOf = (backup: string, partial: string) =>
  Effect.flatMap(explained(backup, SqliteInspection.run(partial)), (inspection) => {
    switch (inspection.state) {
      case "sound":
        return Effect.as(PartialCopy.receiveSignals, Option.some(inspection))
      case "outdated":
        return Effect.succeedNone
      case "damaged":
        return new BackupUnusable({ backup, why: `damaged (${inspection.problems.join("; ")})` })
      case "missing":
      case "unwritable":
        return new BackupUnusable({ backup, why: "its copy was deleted or cannot be written" })
    }
  })

/** Locks the old database while the scope is open, and reads its keys. */
const access = (filename: string) =>
  Effect.gen(function* () {
    const database = yield* Effect.mapError(ExclusiveAccess.take(filename), (error) =>
      error.reason === "busy" ? new DatabaseInUse({ filename }) : error
    )
    const time = new Date(yield* Clock.currentTimeMillis).toISOString().replaceAll(":", "-")
    const keysOf = Option.liftThrowable((old: Database) => {
      Migrations.check(old)
      return KeyReader.make(old).all().keys
    })
    const file = `${filename}.before-restore-${time}`
    return { database, file, keys: Option.flatMap(database, keysOf) }
  })

type Old = Effect.Effect.Success<ReturnType<typeof access>>

/** Replaces the old database, which gets another name. At any time one of the two has the name. */
const replace = (partial: string, filename: string, old: Old) =>
  Effect.gen(function* () {
    const writing = <A>(work: () => Promise<A>) => PartialCopy.writing(filename, work)
    yield* writing(() => giveAway(partial, filename))
    const isKept = yield* writing(() => NewFile.keep(filename, old.file))
    if (!isKept) yield* keepCopy(filename, old)
    yield* writing(async () => {
      // Only a damaged database still has these.
      for (const log of logs) await rename(filename + log, old.file + log).catch(ignoreMissing)
      await rm(`${filename}-shm`, { force: true })
      await NewFile.replace(partial, filename)
    })
  })

/** Copies the old database. If it is locked, SQLite reads it: to close another descriptor of it would release the lock. */
const keepCopy = (filename: string, { database, file: to }: Old) =>
  Effect.gen(function* () {
    const copy = yield* PartialCopy.makeEmpty(to)
    yield* Option.match(database, {
      onNone: () => PartialCopy.writing(to, () => copyFile(filename, copy)),
      onSome: (old) => PartialCopy.copy(old, copy, { to })
    })
    const isNew = yield* PartialCopy.writing(to, async () => {
      await giveAway(copy, filename)
      return await NewFile.publish(copy, to)
    })
    if (!isNew) return yield* new CopyUnwritable({ to, cause: new Error("it exists already") })
  })

/** Gives a file the owner of another, so that the service can use what root restores. Others cannot give files away. */
const giveAway = async (file: string, as: string): Promise<void> => {
  const { gid, uid } = await stat(as)
  await chown(file, uid, gid).catch(() => {})
}

const ignoreMissing = (error: unknown): void => {
  if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error
}
