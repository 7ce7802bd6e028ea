/** Gives a complete file its final name without replacing an existing file. */
import { constants } from "node:fs"
import { copyFile, link, open, rm } from "node:fs/promises"

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
  return true
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

const sync = async (path: string): Promise<void> => {
  const file = await open(path, "r+")
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}
