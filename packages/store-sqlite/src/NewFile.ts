/** Gives a complete file its final name without losing an existing file. */
import { lstatSync } from "node:fs"
import { link, open, rename, rm } from "node:fs/promises"
import { dirname } from "node:path"

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
