/** A folder for a file that is being written. What a killed process leaves there, the next one removes. */
import { existsSync } from "node:fs"
import { mkdtemp, readdir, rm, rmdir, writeFile } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** A path in a new folder beside the file, on the same file system. The folder is removed with the scope. */
export const make = <E>(
  file: string,
  onFailure: (cause: unknown) => E
): Effect.Effect<string, E, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.tryPromise({ try: () => open(`${resolve(file)}.partial-`), catch: onFailure }),
    ({ folder, lock }) =>
      Effect.promise(async () => {
        await remove(folder)
        lock?.close()
      })
  ).pipe(Effect.map(({ folder }) => join(folder, "file")))

/** SQLite's locks end with their process, in whichever container it ran. */
const lockName = "petstore.lock"

const open = async (prefix: string): Promise<LockedFolder> => {
  await removeLeftovers(prefix)
  const folder = await mkdtemp(prefix)
  const lockFile = join(folder, lockName)
  try {
    await writeFile(lockFile, "", { mode: 0o600 })
    const lock = lockOf(folder)
    if (lock !== "taken" && existsSync(lockFile)) return { folder, lock }
    if (lock !== "taken") lock?.close()
  } catch (error) {
    if (existsSync(folder)) throw error
  }
  // It was taken for a leftover before it was locked.
  return open(prefix)
}

interface LockedFolder {
  readonly folder: string
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

const removeLeftovers = async (prefix: string): Promise<void> => {
  const parent = dirname(prefix)
  const names = await readdir(parent).catch(() => [])
  for (const folder of names.map((name) => join(parent, name))) {
    if (!folder.startsWith(prefix)) continue
    // Its process was killed before it locked it.
    await rmdir(folder).catch(() => {})
    const lock = lockOf(folder)
    if (lock === undefined || lock === "taken") continue
    await remove(folder)
    lock.close()
  }
}

/** Removes the lock last: without it a folder that is not empty would stay. Files of other users may have to stay. */
const remove = async (folder: string): Promise<void> => {
  try {
    const names = await readdir(folder)
    for (const name of names.filter((name) => name !== lockName)) {
      await rm(join(folder, name), { recursive: true, force: true })
    }
    await rm(folder, { recursive: true, force: true })
  } catch {
    // The next process tries again.
  }
}
