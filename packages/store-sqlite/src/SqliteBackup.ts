/** A copy of the file as it was at one moment, taken while others go on reading and writing. */
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs"
import type { StoreUnavailable } from "@petstore/domain/PetStore"
import Database from "better-sqlite3"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as SqliteFailure from "./SqliteFailure.ts"

/** There is something at the place already, and it is not written over. */
export class BackupExists extends Data.TaggedError("BackupExists")<{ readonly to: string }> {
  override get message() {
    return `${this.to} exists already`
  }
}

/** The copy cannot be written where it was to be. */
export class BackupUnwritable extends Data.TaggedError("BackupUnwritable")<{
  readonly to: string
  readonly cause: unknown
}> {
  override get message() {
    return `${this.to} cannot be written (${this.cause instanceof Error ? this.cause.message : this.cause})`
  }
}

/** What to copy, and where to. */
export interface Options {
  readonly filename: string
  readonly to: string
  /** Told now and then how much is done, from 0 to 1. */
  readonly onProgress?: (done: number) => void
}

/** Copies the file, checks the copy, and only then gives it its name. */
export const run = (
  options: Options
): Effect.Effect<void, BackupExists | BackupUnwritable | StoreUnavailable> =>
  Effect.gen(function* () {
    const { filename, to } = options
    if (existsSync(to)) return yield* new BackupExists({ to })
    const source = yield* open(filename, { readonly: true })
    const partial = yield* makePartial(to)
    // As long as this transaction lasts the file stands still for its reader, whoever writes to it.
    yield* SqliteFailure.attempt(() => {
      source.exec("BEGIN")
      source.prepare("SELECT count(*) FROM sqlite_schema").get()
    })
    yield* copy(source, partial, options)
    yield* verify(partial)
    yield* writing(to, () => {
      sync(partial)
      renameSync(partial, to)
    })
  }).pipe(Effect.scoped)

const writing = <A>(to: string, evaluate: () => A) =>
  Effect.try({ try: evaluate, catch: (cause) => new BackupUnwritable({ to, cause }) })

/** A file of a name that nobody else has, gone with the scope unless it was given another. */
const makePartial = (to: string) =>
  Effect.acquireRelease(
    writing(to, () => {
      const path = `${to}.${process.pid}.partial`
      closeSync(openSync(path, "wx"))
      return path
    }),
    (path) =>
      Effect.sync(() => {
        for (const suffix of ["", "-journal", "-wal", "-shm"])
          rmSync(path + suffix, { force: true })
      })
  )

const pagesAtOnce = 500

const copy = (source: Database.Database, partial: string, { onProgress, to }: Options) =>
  Effect.async<void, BackupUnwritable | StoreUnavailable>((resume) => {
    let isWanted = true
    const progress = ({ remainingPages, totalPages }: Database.BackupMetadata) => {
      if (!isWanted) throw new Error("the backup was interrupted")
      onProgress?.(1 - remainingPages / totalPages)
      return pagesAtOnce
    }
    // Only the copy is written, so that it is its disk that is full or fails.
    const failureOf = (cause: unknown) =>
      /^SQLITE_(?:FULL|IOERR)/.test(SqliteFailure.codeOf(cause))
        ? new BackupUnwritable({ to, cause })
        : SqliteFailure.from(cause)
    source.backup(partial, { progress }).then(
      () => resume(Effect.void),
      (cause) => resume(Effect.fail(failureOf(cause)))
    )
    return Effect.sync(() => {
      isWanted = false
    })
  })

/** A copy that cannot be read back is none. It is made to be one file, without a log beside it. */
const verify = (filename: string) =>
  Effect.flatMap(open(filename, {}), (database) =>
    SqliteFailure.attempt(() => {
      database.pragma("journal_mode = DELETE")
      const found = database.pragma("quick_check(1)", { simple: true })
      if (found !== "ok") throw SqliteFailure.corrupt(String(found))
    })
  ).pipe(Effect.scoped)

const open = (
  filename: string,
  options: Database.Options
): Effect.Effect<Database.Database, StoreUnavailable, Scope.Scope> =>
  Effect.acquireRelease(
    SqliteFailure.attempt(() => new Database(filename, { ...options, fileMustExist: true })),
    (database) => Effect.sync(() => database.close())
  )

const sync = (filename: string): void => {
  const file = openSync(filename, "r+")
  fsyncSync(file)
  closeSync(file)
}
