/** Files that get their name once they are complete. What a killed process leaves, a later one of its user removes. */
import { lstatSync } from "node:fs"
import { link, lstat, mkdtemp, open, readdir, rename, rm, rmdir, writeFile } from "node:fs/promises"
import { basename, dirname, join, resolve } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/**
 * An empty file that only its owner can read, in a new folder beside the file that it becomes, on the same file system. It
 * is removed with the scope, and so is what SQLite keeps beside it.
 */
export const make = <E>(
  file: string,
  onFailure: (cause: unknown) => E
): Effect.Effect<string, E, Scope.Scope> => {
  const attempt = <A>(work: () => Promise<A>) => Effect.tryPromise({ try: work, catch: onFailure })
  return Effect.acquireRelease(
    attempt(() => makeFolder(resolve(file))),
    (folder) => Effect.promise(() => remove(folder))
  ).pipe(
    Effect.map((folder) => join(folder, name)),
    Effect.tap((path) => attempt(() => writeFile(path, "", { flag: "wx", mode: 0o600 }))),
    Effect.uninterruptible
  )
}

/** Syncs a file and moves it. Returns false, and moves nothing, when the name is taken. */
export const publish = async (partial: string, file: string): Promise<boolean> => {
  await sync(partial)
  if (await isLinked(partial, file)) await rm(partial)
  else {
    // A rename replaces a file that appears after this look. Nothing else is atomic without hard links.
    if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) return false
    await rename(partial, file)
  }
  await sync(dirname(file), "r")
  return true
}

/** Gives an existing file another name as well. Returns false, and does nothing, where there are no hard links. */
export const keep = async (file: string, name: string): Promise<boolean> => {
  const isKept = await isLinked(file, name)
  if (isKept) await sync(dirname(name), "r")
  return isKept
}

/** Syncs a file and moves it in the place of another, so that at any time one of the two has the name. */
export const replace = async (partial: string, file: string): Promise<void> => {
  await sync(partial)
  await rename(partial, file)
  await sync(dirname(file), "r")
}

/** Unlike a rename, a link fails when the name is taken. Some file systems have no hard links. */
const isLinked = (file: string, name: string): Promise<boolean> =>
  link(file, name).then(
    () => true,
    () => false
  )

/** A folder can be opened for reading only. */
const sync = async (path: string, mode: "r" | "r+" = "r+"): Promise<void> => {
  const file = await open(path, mode)
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

/** No other program has files of these names: if a link takes the place of the folder, nothing is removed through it. */
const name = "petstore.partial"
const names = [name, `${name}-journal`, `${name}-wal`, `${name}-shm`]

/** Nothing else is ever removed. */
const remove = async (folder: string): Promise<void> => {
  try {
    for (const name of names) await rm(join(folder, name), { force: true })
    await rmdir(folder)
  } catch {
    // The next process tries again.
  }
}

const makeFolder = async (file: string): Promise<string> => {
  const start = `${basename(file)}.partial-`
  for (const entry of await readdir(dirname(file))) {
    const folder = join(dirname(file), entry)
    if (entry.startsWith(start) && (await isLeft(folder))) await remove(folder)
  }
  return mkdtemp(join(dirname(file), start))
}

/** Longer than a process that runs does not write to its file. */
const maxPauseMillis = 3_600_000

/** Whether a folder is of this user, and what was written there was left. */
const isLeft = async (folder: string): Promise<boolean> => {
  const found = await lstat(folder).catch(() => undefined)
  if (!found?.isDirectory() || found.uid !== process.geteuid?.()) return false
  const written = await lstat(join(folder, name)).catch(() => found)
  return written.mtimeMs < Date.now() - maxPauseMillis
}
