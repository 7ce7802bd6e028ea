/** The files that SQLite uses for a name, and their folder. Threads load this module, so it does not import Effect. */
import { existsSync, lstatSync, mkdirSync, readlinkSync, realpathSync } from "node:fs"
import { dirname, resolve } from "node:path"

const maxLinks = 40

/** The file that symbolic links lead to; it may be missing. The driver ignores spaces around names. Throws for a circle. */
export const targetOf = (filename: string, links = 0): string => {
  const name = filename.trim()
  const isLink = lstatSync(name, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
  if (!isLink) return name
  if (links === maxLinks) return realpathSync(name)
  return targetOf(resolve(realpathSync(dirname(name)), readlinkSync(name)), links + 1)
}

/** The write-ahead log and the shared memory of a database that is open, beside the file that links lead to. */
export const logsOf = (filename: string): readonly [wal: string, shm: string] => {
  const target = existsSync(filename) ? realpathSync(filename) : filename
  return [`${target}-wal`, `${target}-shm`]
}

/** Creates a missing folder. Folder by folder: Node's recursive mkdir never returns in some places, such as /proc. */
export const makeFolder = (path: string): void => {
  if (existsSync(path)) return
  // Of a relative path the last parent is ".", which cannot be found in a folder that is closed to this user.
  makeFolder(dirname(resolve(path)))
  try {
    mkdirSync(path, 0o700)
  } catch (error) {
    // Another process may have created it in the meantime.
    if (!existsSync(path)) throw error
  }
}
