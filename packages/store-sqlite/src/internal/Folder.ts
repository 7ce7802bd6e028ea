/** Creates folders for databases. */
import { existsSync, mkdirSync } from "node:fs"
import { dirname, resolve } from "node:path"

/** Creates a missing folder. Folder by folder: Node's recursive mkdir never returns in some places, such as /proc. */
export const make = (path: string): void => {
  if (existsSync(path)) return
  // Of a relative path the last parent is ".", which cannot be found in a folder that is closed to this user.
  make(dirname(resolve(path)))
  try {
    mkdirSync(path, 0o700)
  } catch (error) {
    // Another process may have created it in the meantime.
    if (!existsSync(path)) throw error
  }
}
