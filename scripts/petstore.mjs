// Runs the program out of the sources: builds what has changed, quietly, and hands over the arguments.
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"

const program = new URL("../apps/api/dist/main.js", import.meta.url)
if (!existsSync(program)) process.stderr.write("building the Pet Store, once …\n")
const { status, stderr, stdout } = spawnSync(
  "turbo",
  ["run", "build", "--filter=@petstore/api", "--output-logs=errors-only", "--no-color"],
  { stdio: ["ignore", "pipe", "pipe"], encoding: "utf8", shell: process.platform === "win32" }
)
if (status !== 0) {
  process.stderr.write(`${stdout}${stderr}`)
  process.exit(1)
}
await import(program.href)
