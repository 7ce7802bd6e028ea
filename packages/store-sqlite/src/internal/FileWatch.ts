/** Notices within a second that a database file was moved, deleted or replaced while it is open. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as FileIdentity from "./FileIdentity.ts"

const intervalMillis = 500

/**
 * Gives a check that throws while the file is lost. It costs nothing: a timer looks at the files. The
 * time is real, whatever `Clock` there is, as the files are.
 */
export const make = (filename: string): Effect.Effect<() => void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { database, shm, wal } = FileIdentity.filesOf(filename)
    const checkFiles = FileIdentity.make(database, wal, shm)
    let lost: unknown
    const look = () => {
      try {
        checkFiles()
        lost = undefined
      } catch (error) {
        lost = error
      }
    }
    yield* Effect.acquireRelease(
      Effect.sync(() => setInterval(look, intervalMillis)),
      (timer) => Effect.sync(() => clearInterval(timer))
    )
    return () => {
      if (lost !== undefined) throw lost
    }
  })
