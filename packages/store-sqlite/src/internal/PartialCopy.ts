/** A complete copy of a file beside its final place, under a temporary name. */
import { setImmediate } from "node:timers/promises"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import type * as Scope from "effect/Scope"
import { CopyFailed } from "../CopyFailed.ts"
import * as PartialFile from "../PartialFile.ts"
import * as Connection from "./Connection.ts"
import * as Driver from "./Driver.ts"
import * as DriverError from "./DriverError.ts"
import * as SqliteFailure from "./SqliteFailure.ts"

/** Where the copy will be, and who wants to know how far it is. */
export interface Options {
  readonly to: string
  /** Called with the part that is done, from 0 to 1. */
  readonly onProgress?: ((done: number) => void) | undefined
}

/** Copies the file of a connection and checks the copy, which is removed with the scope unless it was moved. */
export const make = (
  source: Driver.Database,
  options: Options
): Effect.Effect<string, CopyFailed | StoreUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const partial = yield* makeEmpty(options.to)
    // This transaction reads one version of the file, also while others write to it.
    yield* SqliteFailure.attempt(() => {
      source.exec("BEGIN")
      source.value("SELECT count(*) FROM sqlite_schema")
    })
    yield* copy(source, partial, options)
    yield* verify(partial)
    yield* receiveSignals
    return partial
  })

/** SQLite's checks block the event loop: gives it a whole turn, so that an interruption meanwhile takes effect. */
export const receiveSignals = Effect.promise(async () => {
  await setImmediate()
  await setImmediate()
})

const unwritable = (file: string) => (cause: unknown) =>
  new CopyFailed({ reason: "unwritable", file, cause })

/** Writes files. What was begun is completed. */
export const writing = <A>(to: string, work: () => Promise<A>) =>
  Effect.uninterruptible(Effect.tryPromise({ try: work, catch: unwritable(to) }))

/** Gives a copy its name, unless that is taken. */
export const publish = (partial: string, to: string) =>
  Effect.filterOrFail(
    writing(to, () => PartialFile.publish(partial, to)),
    identity,
    () => new CopyFailed({ reason: "exists", file: to })
  )

/** An empty file in a place of its own. */
export const makeEmpty = (to: string) => PartialFile.make(to, unwritable(to))

/** Copies the file of a connection page by page, whatever is in it. */
export const copy = (source: Driver.Database, partial: string, { onProgress, to }: Options) =>
  Effect.tryPromise({
    try: (signal) =>
      source.backup(partial, (done) => {
        // Ends the copy when the effect is interrupted.
        signal.throwIfAborted()
        onProgress?.(done)
      }),
    // Only the copy is written, so these errors are about its disk.
    catch: (cause) =>
      /^SQLITE_(?:FULL|IOERR)/.test(DriverError.codeOf(cause))
        ? unwritable(to)(cause)
        : SqliteFailure.from(cause)
  })

/** Checks that the copy can be read, and makes it a single file, without a log beside it. */
const verify = (filename: string) =>
  Connection.use(filename, { fileMustExist: true }, (database) => {
    database.exec("PRAGMA journal_mode = DELETE")
    const found = database.value("PRAGMA quick_check(1)")
    if (found !== "ok") throw SqliteFailure.corrupt(String(found).replaceAll("\n", "; "))
  })
