/** A database that a restored one replaces. It is kept under another name. */
import { chown, copyFile, rename, rm, stat } from "node:fs/promises"
import { PetId } from "@petstore/domain/Pet"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { CopyFailed } from "../CopyFailed.ts"
import * as PartialFile from "../PartialFile.ts"
import * as SqliteIds from "../SqliteIds.ts"
import type { Replaced } from "../SqliteRestore.ts"
import * as Connection from "./Connection.ts"
import type { Database } from "./Driver.ts"
import * as LastId from "./LastId.ts"
import * as PartialCopy from "./PartialCopy.ts"
import * as SqliteApiKeyStore from "./SqliteApiKeyStore.ts"
import * as SqliteFailure from "./SqliteFailure.ts"

/** The files beside a database that have changes in them. */
export const logs: ReadonlyArray<string> = ["-wal", "-journal"]

/** Locks it while the scope is open, and reads its keys and its last id. Fails if another process has it open. */
export const lock = (
  filename: string
): Effect.Effect<Old, CopyFailed | StoreUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const database = yield* Effect.mapError(takeExclusively(filename), (error) =>
      error.reason === "busy" ? new CopyFailed({ reason: "in-use", file: filename }) : error
    )
    const time = new Date(yield* Clock.currentTimeMillis).toISOString().replaceAll(":", "-")
    const keysOf = Option.liftThrowable(SqliteApiKeyStore.checkedKeys)
    const lastIdOf = Option.liftThrowable((old: Database) => PetId.make(LastId.read(old)))
    return {
      database,
      file: `${filename}.before-restore-${time}`,
      keys: Option.flatMap(database, keysOf),
      lastId: Option.flatMap(database, lastIdOf)
    }
  })

/** What is known of it. */
interface Old extends Replaced {
  /** The connection that locks it; none if its header is damaged. */
  readonly database: Option.Option<Database>
}

/**
 * Fails as busy while another process has the file open; then none can use it until the scope is closed. Everything
 * is in the file itself, without a log beside it. None if its header is damaged: then SQLite can neither open nor lock it.
 */
const takeExclusively = (filename: string) =>
  Effect.flatMap(Connection.open(filename, { fileMustExist: true, timeout: 1000 }), (database) =>
    SqliteFailure.attempt(() => {
      // A file with a write-ahead log is locked by each process that has it open, which prevents this change.
      database.exec("PRAGMA journal_mode = DELETE")
      database.exec("BEGIN EXCLUSIVE")
      // Keeps the lock without the transaction, within which the file could not be copied.
      database.exec("PRAGMA locking_mode = EXCLUSIVE")
      database.exec("COMMIT")
      return Option.some(database)
    }).pipe(
      Effect.catchIf(
        ({ reason }) => reason === "damaged",
        // Closed now: later, SQLite would delete the log of the file that has its name then.
        () =>
          Effect.sync(() => {
            database.close()
            return Option.none()
          })
      )
    )
  )

/** Replaces it; it gets another name. At any time one of the two has the name. No id that it has assigned is assigned again. */
export const replace = (partial: string, filename: string, old: Old) =>
  Effect.gen(function* () {
    if (Option.isSome(old.lastId)) yield* SqliteIds.raise(partial, old.lastId.value)
    const writing = <A>(work: () => Promise<A>) => PartialCopy.writing(filename, work)
    yield* writing(() => giveAway(partial, filename))
    const isKept = yield* writing(() => PartialFile.keep(filename, old.file))
    if (!isKept) yield* keepCopy(filename, old)
    yield* writing(async () => {
      // Only a damaged database still has these.
      for (const log of logs) await rename(filename + log, old.file + log).catch(ignoreMissing)
      await rm(`${filename}-shm`, { force: true })
      await PartialFile.replace(partial, filename)
    })
  })

/** Copies it. If it is locked, SQLite reads it: to close another descriptor of it would release the lock. */
const keepCopy = (filename: string, { database, file: to }: Old) =>
  Effect.gen(function* () {
    // Beside the database, where the next restore looks for leftovers.
    const copy = yield* PartialCopy.makeEmpty(filename)
    yield* Option.match(database, {
      onNone: () => PartialCopy.writing(to, () => copyFile(filename, copy)),
      onSome: (old) => PartialCopy.copy(old, copy, { to })
    })
    yield* PartialCopy.writing(to, () => giveAway(copy, filename))
    yield* PartialCopy.publish(copy, to)
  })

/** Gives a file the owner of another, so that the service can use what root restores. Others cannot give files away. */
const giveAway = async (file: string, as: string): Promise<void> => {
  const { gid, uid } = await stat(as)
  await chown(file, uid, gid).catch(() => {})
}

const ignoreMissing = (error: unknown): void => {
  if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error
}
