/** Puts a backup in the place of a database file that no process uses. */
import { existsSync, statSync } from "node:fs"
import { dirname } from "node:path"
import type { ApiKey } from "@petstore/access/ApiKey"
import type { PetId } from "@petstore/domain/Pet"
import { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { CopyFailed } from "./CopyFailed.ts"
import * as Connection from "./internal/Connection.ts"
import * as DatabaseFile from "./internal/DatabaseFile.ts"
import * as Migrations from "./internal/Migrations.ts"
import * as OldDatabase from "./internal/OldDatabase.ts"
import * as OpenFile from "./internal/OpenFile.ts"
import * as PartialCopy from "./internal/PartialCopy.ts"
import * as SqliteFailure from "./internal/SqliteFailure.ts"
import * as SqliteInspection from "./SqliteInspection.ts"

/** Which backup to restore, and where. */
export interface Options {
  readonly backup: string
  readonly filename: string
  /** Whether to replace an existing database, which is kept under another name. */
  readonly replaces: boolean
  /** Called with the part that is copied, from 0 to 1. */
  readonly onProgress?: ((done: number) => void) | undefined
}

/** A database that was replaced: its new name, and what could be read of it. */
export interface Replaced {
  readonly file: string
  readonly keys: Option.Option<ReadonlyArray<ApiKey>>
  /** The greatest id that it had assigned: no id up to it is assigned again. */
  readonly lastId: Option.Option<PetId>
}

/** What was restored, and what it replaced. */
export interface Restored {
  /** The pets and keys of the backup; none if it has an older schema, which the stores migrate. */
  readonly content: Option.Option<{ readonly pets: number; readonly keys: ReadonlyArray<ApiKey> }>
  readonly replaced: Option.Option<Replaced>
}

/**
 * Copies the backup beside the database, checks the copy, and then puts it in its place. An interruption before
 * changes nothing; after, the caller gets the outcome.
 */
export const run = (options: Options): Effect.Effect<Restored, CopyFailed | StoreUnavailable> =>
  Effect.gen(function* () {
    const { backup, onProgress, replaces } = options
    // A symbolic link stays one: the file that it names is replaced.
    const filename = yield* SqliteFailure.attempt(() => DatabaseFile.targetOf(options.filename))
    const exists = existsSync(filename)
    // So that a driver that cannot be loaded is not reported as a problem of the backup.
    yield* Connection.open(":memory:", {})
    const source = yield* openBackup(backup)
    if (yield* SqliteFailure.attempt(() => OpenFile.isSame(backup, filename))) {
      return yield* unusable(backup, "it is the database itself")
    }
    if (exists && !replaces) return yield* new CopyFailed({ reason: "exists", file: filename })
    const log = yield* SqliteFailure.attempt(() =>
      OldDatabase.logs
        .map((suffix) => filename + suffix)
        .find((file) => statSync(file, { throwIfNoEntry: false }) !== undefined)
    )
    if (!exists && log !== undefined) {
      return yield* new CopyFailed({ reason: "log-left", file: log })
    }
    yield* SqliteFailure.attempt(() => DatabaseFile.makeFolder(dirname(filename)))
    const old = exists ? Option.some(yield* OldDatabase.lock(filename)) : Option.none()

    const copying = PartialCopy.make(source, { to: filename, onProgress })
    const partial = yield* Effect.interruptible(explained(backup, copying))
    const content = yield* Effect.interruptible(contentOf(backup, partial))
    yield* Option.match(old, {
      onNone: () => PartialCopy.publish(partial, filename),
      onSome: (old) => OldDatabase.replace(partial, filename, old)
    })
    return { content, replaced: old }
  }).pipe(Effect.scoped, Effect.uninterruptible)

const unusable = (file: string, cause: unknown) =>
  new CopyFailed({ reason: "unusable", file, cause })

/** Opens a backup if it is one that this version can use. */
const openBackup = (backup: string) =>
  Effect.gen(function* () {
    const found = yield* SqliteFailure.attempt(() => statSync(backup, { throwIfNoEntry: false }))
    if (found === undefined) return yield* unusable(backup, "there is no such file")
    if (!found.isFile()) return yield* unusable(backup, "it is not a file")
    const database = yield* Connection.openToRead(backup)
    yield* SqliteFailure.attempt(() => Migrations.checkToCopy(database))
    return database
  }).pipe((opening) => explained(backup, opening))

/** Reports failures of SQLite as those of the backup. */
const explained = <A, E, R>(backup: string, effect: Effect.Effect<A, E | StoreUnavailable, R>) =>
  Effect.mapError(effect, (error) =>
    error instanceof StoreUnavailable ? unusable(backup, error.cause ?? error) : error
  )

/** What a copy of the backup holds. */
const contentOf = (backup: string, partial: string) =>
  Effect.flatMap(explained(backup, SqliteInspection.run(partial)), (inspection) => {
    if (inspection.state === "sound")
      return Effect.as(PartialCopy.receiveSignals, Option.some(inspection))
    if (inspection.state === "outdated") return Effect.succeedNone
    const why =
      inspection.state === "damaged"
        ? `damaged (${inspection.problems.join("; ")})`
        : "its copy was deleted or cannot be written"
    return unusable(backup, why)
  })
