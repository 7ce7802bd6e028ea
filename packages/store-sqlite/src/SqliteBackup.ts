/** A consistent copy of the file, made while others read and write it. */
import { existsSync } from "node:fs"
import type { StoreUnavailable } from "@petstore/domain/StoreUnavailable"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Connection from "./internal/Connection.ts"
import { CopyUnwritable } from "./internal/CopyUnwritable.ts"
import * as Migrations from "./internal/Migrations.ts"
import * as PartialCopy from "./internal/PartialCopy.ts"
import * as SqliteFailure from "./internal/SqliteFailure.ts"
import * as NewFile from "./NewFile.ts"

export { CopyUnwritable }

/** The file exists and is not overwritten. */
export class BackupExists extends Data.TaggedError("BackupExists")<{ readonly to: string }> {
  override get message() {
    return `${this.to} exists already`
  }
}

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
export const run = (
  options: Options
): Effect.Effect<void, BackupExists | CopyUnwritable | StoreUnavailable> =>
  Effect.gen(function* () {
    const { filename, to } = options
    if (existsSync(to)) return yield* new BackupExists({ to })
    const source = yield* Connection.openToRead(filename)
    yield* SqliteFailure.attempt(() => Migrations.checkToCopy(source))
    const partial = yield* Effect.interruptible(PartialCopy.make(source, options))
    const isNew = yield* PartialCopy.writing(to, () => NewFile.publish(partial, to))
    if (!isNew) return yield* new BackupExists({ to })
  }).pipe(Effect.scoped, Effect.uninterruptible)
