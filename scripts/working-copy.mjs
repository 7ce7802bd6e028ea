// A copy of the repository to change files in, with everything installed and built; it is removed with the process.
import { execFileSync, spawnSync } from "node:child_process"
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"

/** Runs a command, which may print: whether it succeeds. */
export const run = (cwd, command, ...words) =>
  spawnSync(command, words, { cwd, stdio: ["ignore", "inherit", "inherit"] }).status === 0

/** Builds what has changed. What did not is in the cache of the repository. */
export const build = (copy, ...words) => {
  process.env.TURBO_CACHE_DIR = resolve(".turbo/cache")
  return run(copy, "npx", "pnpm", "--silent", "build", "--output-logs=errors-only", ...words)
}

/** Copies what Git knows of the working tree to `petstore` in a folder of its own. */
export const make = () => {
  const folder = mkdtempSync(join(tmpdir(), "petstore-copy-"))
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }))
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(1))
  // Root runs PostgreSQL as another user, which must be able to read it.
  chmodSync(folder, 0o755)
  const copy = join(folder, "petstore")
  const files = execFileSync("git", ["ls-files", "-z"]).toString().split("\0").slice(0, -1)
  for (const file of files) {
    mkdirSync(join(copy, file, ".."), { recursive: true })
    cpSync(file, join(copy, file))
  }
  if (!build(copy)) process.exit(1)
  return { folder, copy }
}
