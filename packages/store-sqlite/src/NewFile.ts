/** Gives a complete file its final name without losing an existing file. */
import { constants } from "node:fs"
import { copyFile, link, open, rename, rm } from "node:fs/promises"
import { dirname } from "node:path"

/** Syncs a file and moves it. Returns false, and moves nothing, when the name is taken. */
export const publish = async (partial: string, file: string): Promise<boolean> => {
  await sync(partial)
  try {
    await linkOrCopy(partial, file)
  } catch (error) {
    if (isTaken(error)) return false
    throw error
  }
  await rm(partial)
  await sync(dirname(file), "r")
  return true
}

/** Gives an existing file another name as well, which must not be taken. */
export const keep = async (file: string, name: string): Promise<void> => {
  await linkOrCopy(file, name)
  await sync(dirname(name), "r")
}

/** Syncs a file and moves it in the place of another, so that at any time one of the two has the name. */
export const replace = async (partial: string, file: string): Promise<void> => {
  await sync(partial)
  await rename(partial, file)
  await sync(dirname(file), "r")
}

/** Unlike a rename, both fail when the name is taken. Some file systems have no hard links. */
const linkOrCopy = async (partial: string, file: string): Promise<void> => {
  try {
    await link(partial, file)
  } catch (error) {
    if (isTaken(error)) throw error
    await copyFile(partial, file, constants.COPYFILE_EXCL)
    await sync(file)
  }
}

const isTaken = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "EEXIST"

/** A folder can be opened for reading only. */
const sync = async (path: string, mode: "r" | "r+" = "r+"): Promise<void> => {
  const file = await open(path, mode)
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}
