/** Detects that open files are no longer the ones that other processes find by their names. */
import { statSync } from "node:fs"

/** The files of an open database: its pages, its write-ahead log and the index of that log. */
export const filesOf = (filename: string) => ({
  database: filename,
  wal: `${filename}-wal`,
  shm: `${filename}-shm`
})

/** Gives a check that throws once one of these files was moved, deleted or replaced. */
export const make = (...paths: ReadonlyArray<string>): (() => void) => {
  const opened = paths.map((path) => ({ path, id: idOf(path) }))
  return () => {
    const lost = opened.find(({ id, path }) => idOf(path) !== id)
    if (lost !== undefined) throw new Error(`${lost.path} was moved, deleted or replaced`)
  }
}

const idOf = (path: string): string | undefined => {
  const found = statSync(path, { throwIfNoEntry: false })
  return found && `${found.dev}:${found.ino}`
}
