// Runs Effect's own diagnostics over the workspace, and fails on any finding. They need the
// JavaScript API that TypeScript 7 lacks, so they run on the TypeScript 5 that pnpm-workspace.yaml
// gives them, which is found from their own folder.
import { spawnSync } from "node:child_process"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const home = dirname(
  createRequire(import.meta.url).resolve("@effect/language-service/package.json")
)
const project = fileURLToPath(new URL("../tsconfig.json", import.meta.url))
const { status } = spawnSync(
  process.execPath,
  [join(home, "cli.js"), "diagnostics", "--strict", "--project", project],
  { cwd: home, stdio: "inherit" }
)
process.exit(status ?? 1)
