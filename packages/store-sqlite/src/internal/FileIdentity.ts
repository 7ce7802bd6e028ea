/**
 * Detects that open files are no longer the ones that other processes find by their names. Threads load
 * this module, so it does not import Effect.
 */
import { statSync } from "node:fs"

/** The files of an open database: its pages, its write-ahead log and the index of that log. */
export const filesOf = (filename: string) => ({
  database: filename,
  wal: `${filename}-wal`,
  shm: `${filename}-shm`
})

/** A check that throws while one of these files is moved, deleted or replaced. */
export const make = (...paths: ReadonlyArray<string>): (() => void) => {
  const opened = paths.map((path) => ({ path, id: idOf(path) }))
  return () => {
    const lost = opened.find(({ id, path }) => idOf(path) !== id)
    if (lost !== undefined) throw new Error(`${lost.path} was moved, deleted or replaced`)
  }
}

const intervalMillis = 500

/** The same check for all files of a database, made by a timer: it takes effect within a second. */
export const watch = (filename: string) => {
  const check = make(...Object.values(filesOf(filename)))
  let lost: unknown
  const look = () => {
    try {
      check()
      lost = undefined
    } catch (error) {
      lost = error
    }
  }
  const timer = setInterval(look, intervalMillis)
  return {
    check: () => {
      if (lost !== undefined) throw lost
    },
    close: () => clearInterval(timer)
  }
}

const idOf = (path: string): string | undefined => {
  const found = statSync(path, { throwIfNoEntry: false })
  return found && `${found.dev}:${found.ino}`
}
