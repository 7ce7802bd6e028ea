/**
 * Detects that open files are no longer the ones that other processes find by their names. Threads load this module, so it
 * does not import Effect.
 */
import { statSync } from "node:fs"
import * as DatabaseFile from "./DatabaseFile.ts"
import type * as Driver from "./Driver.ts"

/** A check that throws while the file of a connection, its log or its shared memory is moved, deleted or replaced. */
export const check = (database: Driver.Database): (() => void) => {
  const paths = [database.name, ...DatabaseFile.logsOf(database.name)]
  const opened = paths.map((path) => ({ path, id: idOf(path) }))
  return () => {
    const lost = opened.find(({ id, path }) => idOf(path) !== id)
    if (lost !== undefined)
      throw new Error(
        `${lost.path} was moved, deleted or replaced; put it back, or restart the service`
      )
  }
}

const intervalMillis = 500

/** Makes a check at most twice a second while it passes: for reads, which must be fast. */
export const rarely = (check: () => void): (() => void) => {
  let checkedAt = performance.now()
  return () => {
    const now = performance.now()
    if (now - checkedAt < intervalMillis) return
    check()
    checkedAt = now
  }
}

/** Whether two paths lead to one file. */
export const isSame = (path: string, other: string): boolean => {
  const id = idOf(path)
  return id !== undefined && id === idOf(other)
}

const idOf = (path: string): string | undefined => {
  const found = statSync(path, { throwIfNoEntry: false })
  return found && `${found.dev}:${found.ino}`
}
