/** A consistent copy of the file, made while others read and write it. */
import { randomInt } from "node:crypto"
import { closeSync, existsSync, openSync, readSync } from "node:fs"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Effect from "effect/Effect"
import { CopyFailed } from "./CopyFailed.ts"
import * as Connection from "./internal/Connection.ts"
import * as Migrations from "./internal/Migrations.ts"
import * as OpenFile from "./internal/OpenFile.ts"
import * as PartialCopy from "./internal/PartialCopy.ts"
import * as SqliteFailure from "./internal/SqliteFailure.ts"

/** What to copy, and where. */
export interface Options {
  readonly filename: string
  readonly to: string
  /** Called with the part that is done, from 0 to 1. */
  readonly onProgress?: (done: number) => void
}

/**
 * Copies the file if it could be restored, checks the copy, and only then gives it its name. An interruption before leaves no file;
 * after, the caller gets the outcome.
 */
export const run = (options: Options): Effect.Effect<void, CopyFailed | StoreUnavailable> =>
  Effect.gen(function* () {
    const { filename, to } = options
    if (existsSync(to)) return yield* new CopyFailed({ reason: "exists", file: to })
    const source = yield* Connection.openToRead(filename)
    yield* SqliteFailure.attempt(() => Migrations.checkToCopy(source))
    // The copy is good even without it.
    yield* Effect.ignore(giveOrigin(filename))
    const partial = yield* Effect.interruptible(PartialCopy.make(source, options))
    yield* PartialCopy.publish(partial, to)
  }).pipe(Effect.scoped, Effect.uninterruptible)

/**
 * Gives a database a random number, unless it has one. Copies and restored databases keep it, which shows whose backup a
 * backup is. It is SQLite's `user_version`, so it is in the header of the file and not part of the schema.
 */
const giveOrigin = (filename: string) =>
  Connection.use(filename, { fileMustExist: true, timeout: 1000 }, (database) => {
    const isMissing = database.value("PRAGMA user_version") === 0n
    if (isMissing) database.exec(`PRAGMA user_version = ${randomInt(1, 2 ** 31)}`)
  })

/**
 * Whether a file is a backup of the same database as another backup. Unknown if it cannot be read, if an earlier version
 * made it, or if it is used as a database since. The file of the database itself is never the same.
 */
export const compare = (options: {
  readonly filename: string
  readonly file: string
  readonly backup: string
}): "same" | "other" | "unknown" => {
  try {
    const { backup, file, filename } = options
    if (OpenFile.isSame(file, filename)) return "other"
    const [found, expected] = [originOf(file), originOf(backup)]
    if (found === 0 || expected === 0) return "unknown"
    return found === expected ? "same" : "other"
  } catch {
    return "unknown"
  }
}

const magic = "SQLite format 3\0"

/** The number in a backup; 0 for none, and for a file that was opened to write since, or is not a database. */
const originOf = (backup: string): number => {
  const header = Buffer.alloc(100)
  const file = openSync(backup, "r")
  try {
    readSync(file, header, 0, header.length, 0)
  } finally {
    closeSync(file)
  }
  // Stores give a file a write-ahead log, which changes this byte. Backups have none.
  const isBackup = header.toString("latin1", 0, magic.length) === magic && header[18] === 1
  return isBackup ? header.readInt32BE(60) : 0
}
