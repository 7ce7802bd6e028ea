/** A consistent copy of the file, made while others read and write it. */
import { existsSync } from "node:fs"
import { rm, writeFile } from "node:fs/promises"
import type { StoreUnavailable } from "@petstore/domain/StoreUnavailable"
import type { Database } from "better-sqlite3"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Connection from "./internal/Connection.ts"
import * as SqliteFailure from "./internal/SqliteFailure.ts"
import * as NewFile from "./NewFile.ts"

/** The file exists and is not overwritten. */
export class BackupExists extends Data.TaggedError("BackupExists")<{ readonly to: string }> {
  override get message() {
    return `${this.to} exists already`
  }
}

/** The copy cannot be written. */
export class BackupUnwritable extends Data.TaggedError("BackupUnwritable")<{
  readonly to: string
  readonly cause: unknown
}> {
  override get message() {
    return `${this.to} cannot be written (${this.cause instanceof Error ? this.cause.message : this.cause})`
  }
}

/** What to copy, and where. */
export interface Options {
  readonly filename: string
  readonly to: string
  /** Called with the part that is done, from 0 to 1. */
  readonly onProgress?: (done: number) => void
}

/** Copies the file, checks the copy, and only then gives it its name. */
export const run = (
  options: Options
): Effect.Effect<void, BackupExists | BackupUnwritable | StoreUnavailable> =>
  Effect.gen(function* () {
    const { filename, to } = options
    if (existsSync(to)) return yield* new BackupExists({ to })
    const source = yield* Connection.open(filename, { readonly: true, fileMustExist: true })
    const partial = yield* makePartial(to)
    // This transaction reads one version of the file, also while others write to it.
    yield* SqliteFailure.attempt(() => {
      source.exec("BEGIN")
      source.prepare("SELECT count(*) FROM sqlite_schema").get()
    })
    yield* copy(source, partial, options)
    yield* verify(partial)
    const isNew = yield* writing(to, () => NewFile.publish(partial, to))
    if (!isNew) return yield* new BackupExists({ to })
  }).pipe(Effect.scoped)

const writing = <A>(to: string, work: () => Promise<A>) =>
  Effect.tryPromise({ try: work, catch: (cause) => new BackupUnwritable({ to, cause }) }).pipe(
    Effect.uninterruptible
  )

/** An empty file with a name of its own, removed with the scope unless it was published. */
const makePartial = (to: string) =>
  Effect.acquireRelease(
    writing(to, async () => {
      const path = `${to}.${process.pid}.partial`
      await writeFile(path, "", { flag: "wx", mode: 0o600 })
      return path
    }),
    (path) =>
      Effect.promise(() =>
        Promise.all(suffixes.map((suffix) => rm(path + suffix, { force: true })))
      )
  )

const suffixes = ["", "-journal", "-wal", "-shm"]
const pagesAtOnce = 500

const copy = (source: Database, partial: string, { onProgress, to }: Options) =>
  Effect.tryPromise({
    try: (signal) =>
      source.backup(partial, {
        progress: ({ remainingPages, totalPages }) => {
          // Ends the copy when the effect is interrupted.
          signal.throwIfAborted()
          onProgress?.(1 - remainingPages / totalPages)
          return pagesAtOnce
        }
      }),
    // Only the copy is written, so these errors are about its disk.
    catch: (cause) =>
      /^SQLITE_(?:FULL|IOERR)/.test(SqliteFailure.codeOf(cause))
        ? new BackupUnwritable({ to, cause })
        : SqliteFailure.from(cause)
  })

/** Checks that the copy can be read, and makes it a single file, without a log beside it. */
const verify = (filename: string) =>
  Effect.flatMap(Connection.open(filename, { fileMustExist: true }), (database) =>
    SqliteFailure.attempt(() => {
      database.pragma("journal_mode = DELETE")
      const found = database.pragma("quick_check(1)", { simple: true })
      if (found !== "ok") throw SqliteFailure.corrupt(String(found))
    })
  ).pipe(Effect.scoped)
