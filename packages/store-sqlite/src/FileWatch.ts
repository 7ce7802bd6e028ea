/** Notices within a second that a database file was moved, deleted or replaced while it is open. */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as FileIdentity from "./FileIdentity.ts"

const interval = "500 millis"

/** Gives a check that throws while the file is lost. It costs nothing: the file is looked at regularly. */
export const make = (filename: string): Effect.Effect<() => void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { database, shm, wal } = FileIdentity.filesOf(filename)
    const checkFiles = FileIdentity.make(database, wal, shm)
    let lost: unknown
    const look = Effect.sync(() => {
      try {
        checkFiles()
        lost = undefined
      } catch (error) {
        lost = error
      }
    })
    yield* look.pipe(Effect.repeat(Schedule.spaced(interval)), Effect.forkScoped)
    return () => {
      if (lost !== undefined) throw lost
    }
  })
