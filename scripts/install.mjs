// Installs what a command needs and does not have yet: the whole workspace or, with "service", what the service is built from.
// Any Node runs it: on Linux, Node itself is among the packages, and `pnpm exec` finds that one.
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { begin } from "./progress.mjs"

/** Leaves out what only tests, checks and releases need. */
const serviceOnly = ["@petstore/api...", "!@petstore/local-postgres", "!@petstore/store-testkit"]

const exists = (path) => existsSync(new URL(path, import.meta.url))

/** After this many milliseconds without a package, a sentence says so. */
const patience = 5000

/** Runs `pnpm install`, and says what it does instead of its own output. Resolves to what it printed if it fails. */
const run = (filters) =>
  new Promise((resolve) => {
    let heardAt = Date.now()
    const waits = () => (Date.now() - heardAt > patience ? ": waiting for the npm registry" : "")
    const doing = exists("../node_modules") ? "checking packages" : "installing packages"
    const step = begin(() => doing + waits())
    const words = filters.flatMap((filter) => ["--filter", filter])
    const child = spawn("pnpm", ["install", "--reporter=append-only", ...words], {
      cwd: fileURLToPath(new URL("..", import.meta.url)),
      stdio: ["ignore", "pipe", "pipe"],
      shell: process.platform === "win32"
    })
    let output = ""
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => {
        output += text
        heardAt = Date.now()
      })
    const finish = (problem) => {
      step.end()
      resolve(problem)
    }
    child.once("error", (error) =>
      finish(
        error.code === "ENOENT"
          ? `pnpm is missing: run npx pnpm ${process.env.npm_lifecycle_event ?? "start"}\n`
          : `cannot run pnpm: ${error.message}\n`
      )
    )
    // It prints each try of each package.
    const isNews = (line) => !/^(?:Progress|Downloading|Will retry|\[WARN\] GET) ?/.test(line)
    child.once("close", (code) =>
      finish(code === 0 ? undefined : output.split("\n").filter(isNews).join("\n"))
    )
  })

// Whether all projects were installed before. A filtered install could then remove commands of the others.
const isComplete = exists("node_modules")
const filters = process.argv[2] === "service" && !isComplete ? serviceOnly : []
let problem = await run(filters)
// After a change of settings only an install of all projects may start over.
if (problem?.includes("recreate the modules directory")) problem = await run([])
if (problem !== undefined) {
  process.stderr.write(
    `${problem}cannot install packages: is there a network, and an npm registry?\n`
  )
  process.exit(1)
}
// The other platforms, and a registry that lacks it.
if (!exists("../node_modules/.bin/node")) await import("../apps/api/src/requireNode.js")
