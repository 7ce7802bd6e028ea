/** A folder for a file that is being written. What a killed process leaves there, the next one of its user removes. */
import { constants, existsSync, type Stats } from "node:fs"
import { lstat, mkdtemp, open, readdir, rm, rmdir, writeFile } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/**
 * A path in a new folder beside the file, on the same file system. The file, and what SQLite keeps beside it, are
 * removed with the scope, and so is the folder.
 */
export const make = <E>(
  file: string,
  onFailure: (cause: unknown) => E
): Effect.Effect<string, E, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.tryPromise({ try: () => create(`${resolve(file)}.partial-`), catch: onFailure }),
    ({ folder, lock, made }) =>
      Effect.promise(async () => {
        await remove(folder, made)
        lock?.close()
      })
  ).pipe(Effect.map(({ folder }) => join(folder, name)))

const name = "file"

/** SQLite's locks end with their process, in whichever container it ran. */
const lockName = "petstore.lock"

/** The lock is last: without it a folder that is not empty would stay. */
const names = [name, lockName].flatMap((name) => [
  `${name}-journal`,
  `${name}-wal`,
  `${name}-shm`,
  name
])

const create = async (prefix: string): Promise<LockedFolder> => {
  await removeLeftovers(prefix)
  const folder = await mkdtemp(prefix)
  const lockFile = join(folder, lockName)
  try {
    const made = await lstat(folder)
    await writeFile(lockFile, "", { flag: "wx", mode: 0o600 })
    const lock = lockOf(folder)
    if (lock !== "taken" && existsSync(lockFile)) return { folder, made, lock }
    if (lock !== "taken") lock?.close()
  } catch (error) {
    if (existsSync(folder)) throw error
  }
  // It was taken for a leftover before it was locked.
  return create(prefix)
}

interface LockedFolder {
  readonly folder: string
  readonly made: Stats
  /** None on a file system without locks, where no other process locks it, either, to remove it. */
  readonly lock: Database.Database | undefined
}

const lockOf = (folder: string): Database.Database | "taken" | undefined => {
  try {
    const lock = new Database(join(folder, lockName), { fileMustExist: true, timeout: 0 })
    try {
      return lock.exec("BEGIN EXCLUSIVE")
    } catch (error) {
      lock.close()
      if (error instanceof Database.SqliteError && error.code === "SQLITE_BUSY") return "taken"
    }
  } catch {
    // There is no such file, or no driver.
  }
  return undefined
}

/** Those of other users stay: they could change what is in them, and what their names lead to. */
const removeLeftovers = async (prefix: string): Promise<void> => {
  const parent = dirname(prefix)
  const entries = await readdir(parent).catch(() => [])
  for (const folder of entries.map((entry) => join(parent, entry))) {
    if (!folder.startsWith(prefix)) continue
    const found = await lstat(folder).catch(() => undefined)
    if (!found?.isDirectory() || found.uid !== process.geteuid?.()) continue
    // Its process was killed before it locked it.
    await rmdir(folder).catch(() => {})
    const lock = lockOf(folder)
    if (lock === undefined || lock === "taken") continue
    await remove(folder, found)
    lock.close()
  }
}

/** Removes a folder, and what this module writes to it, if its name still leads to it. */
const remove = async (folder: string, { dev, ino }: Stats): Promise<void> => {
  const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants
  const opened = await open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW).catch(() => undefined)
  if (opened === undefined) return
  try {
    const found = await opened.stat()
    if (found.dev !== dev || found.ino !== ino) return
    // On Linux this path leads to the folder that was opened, also if another takes its place now.
    const pinned = `/proc/self/fd/${opened.fd}`
    const path = existsSync(pinned) ? pinned : folder
    for (const name of names) await rm(join(path, name), { force: true })
    await rmdir(folder)
  } catch {
    // The next process tries again.
  } finally {
    await opened.close()
  }
}
