// Runs the program out of the sources: bundles them if one has changed, and hands over the arguments.
import "../apps/api/src/requireNode.js"
import { execFile } from "node:child_process"
import { existsSync, readFileSync, statSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { begin } from "./progress.mjs"

const api = new URL("../apps/api/", import.meta.url)
const program = new URL("dist/main.js", api)

/** Files that the bundle is made with, besides its sources. */
const recipe = [
  ...[
    "package.json",
    "build.mjs",
    "bundle.mjs",
    "../../scripts/third-party.mjs",
    "../../pnpm-lock.yaml"
  ],
  ...["build.mjs", "start.js"].map((name) => `../../packages/http-transport/docs/${name}`)
]

/** Whether the bundle is missing, or older than a file that it is made of. */
const isStale = () => {
  const list = new URL("dist/sources.json", api)
  if (!existsSync(program) || !existsSync(list)) return true
  const { sources, startedAt } = JSON.parse(readFileSync(list, "utf8"))
  const changedAt = (file) => statSync(new URL(file, api), { throwIfNoEntry: false })?.mtimeMs
  return [...recipe, ...sources].some((file) => !(changedAt(file) < startedAt))
}

if (isStale()) {
  const step = begin(() => "building the Pet Store")
  const cwd = fileURLToPath(api)
  const { isFailed, printed } = await new Promise((resolve) =>
    execFile(process.execPath, ["build.mjs"], { cwd }, (error, _, printed) =>
      resolve({ isFailed: error !== null, printed })
    )
  )
  step.end()
  process.stderr.write(printed)
  if (isFailed) process.exit(1)
}
await import(program.href)
