/** The process that replaces a data folder by a copy for `Replicated`, whose own has no time if it is also the load generator. */
import { chownSync, copyFileSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"

/** Copies a folder with its owner, but without the log, which a standby requests, and files that are gone. */
const copy = (from: string, to: string) => {
  const { gid, mode, uid } = statSync(from)
  mkdirSync(to, { mode })
  chownSync(to, uid, gid)
  const entries = from.endsWith("pg_wal") ? [] : readdirSync(from, { withFileTypes: true })
  for (const entry of entries) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) copy(source, target)
    else if (!entry.name.startsWith("postmaster.")) copyFile(source, target, uid, gid)
  }
}

const copyFile = (from: string, to: string, uid: number, gid: number) => {
  try {
    copyFileSync(from, to)
    chownSync(to, uid, gid)
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error
  }
}

const [, , from = "", to = ""] = process.argv
rmSync(to, { recursive: true, force: true, maxRetries: 10 })
copy(from, to)
