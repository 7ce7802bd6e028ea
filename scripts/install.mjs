// Installs what a command needs and does not have yet: the whole workspace or, with "service", what the service is built from.
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import "../apps/api/src/requireNode.js"
import { begin } from "./progress.mjs"

/** Leaves out what only tests, checks and releases need. */
export const serviceOnly = [
  "@petstore/api...",
  "!@petstore/local-postgres",
  "!@petstore/store-testkit"
].flatMap((filter) => ["--filter", filter])

const missing = `pnpm is missing: run npx pnpm ${process.env.npm_lifecycle_event ?? "start"}\n`

/** How pnpm's output begins when the driver is compiled. All packages are there by then. */
const compiles = /better-sqlite3.* gyp info/

/**
 * Runs `pnpm install`, and says what it does instead of its own output. Resolves to what it printed if it fails. Calls
 * `onPackages` when only the driver is left to be compiled, if it is.
 */
const run = (words, onPackages) =>
  new Promise((resolve) => {
    const isFirst = !existsSync(new URL("../node_modules", import.meta.url))
    let step = begin(() => `${isFirst ? "installing" : "checking"} packages`)
    const child = spawn("pnpm", ["install", "--reporter=append-only", ...words], {
      cwd: fileURLToPath(new URL("..", import.meta.url)),
      stdio: ["ignore", "pipe", "pipe"],
      shell: process.platform === "win32"
    })
    const finish = (problem) => {
      step.end()
      resolve(problem)
    }
    let isCompiling = false
    let output = ""
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => {
        output += text
        if (isCompiling || !compiles.test(output)) return
        isCompiling = true
        step.end()
        step = begin(() => "compiling the SQLite driver, which takes about two minutes")
        onPackages()
      })
    }
    child.once("error", (error) =>
      finish(error.code === "ENOENT" ? missing : `cannot run pnpm: ${error.message}\n`)
    )
    child.once("close", (code) => finish(code === 0 ? undefined : output))
  })

/** Whether all projects were installed before. A filtered install could then remove commands of the others. */
const isComplete = () => existsSync(new URL("node_modules", import.meta.url))

/**
 * Installs the projects that these filters select, or all. Ends the process if that fails. What does not need the SQLite
 * driver can be done meanwhile by `onPackages`, which is not called if the driver need not be compiled.
 */
export const install = async (filters = [], onPackages = () => {}) => {
  let problem = await run(isComplete() ? [] : filters, onPackages)
  // After a change of settings only an install of all projects may start over.
  if (problem?.includes("recreate the modules directory")) problem = await run([], onPackages)
  if (problem === undefined) return
  process.stderr.write(problem)
  process.exit(1)
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await install(process.argv[2] === "service" ? serviceOnly : [])
