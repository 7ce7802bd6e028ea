// Installs what a command needs and does not have yet: the whole workspace or, with "service", what the service is built from.
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

/** Leaves out what only tests, checks and releases need. */
export const serviceOnly = [
  "@petstore/api...",
  "!@petstore/local-postgres",
  "!@petstore/store-testkit"
].flatMap((filter) => ["--filter", filter])

/** What takes long, and how pnpm's output begins then. */
const longSteps = [
  ["installing packages", /^Packages: \+/m],
  ["compiling the SQLite driver, which takes about two minutes", /better-sqlite3.* gyp info/]
]

/** Runs `pnpm install` quietly, but says what takes long. Resolves to what it printed if it fails. */
const run = (words) =>
  new Promise((resolve) => {
    const child = spawn("pnpm", ["install", "--reporter=append-only", ...words], {
      cwd: fileURLToPath(new URL("..", import.meta.url)),
      stdio: ["ignore", "pipe", "pipe"],
      shell: process.platform === "win32"
    })
    const notes = new Map(longSteps)
    let output = ""
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => {
        output += text
        for (const [note, sign] of notes) {
          if (sign.test(output) && notes.delete(note)) process.stderr.write(`${note} …\n`)
        }
      })
    }
    child.once("error", ({ message }) =>
      resolve(`cannot run pnpm (${message}): write npx pnpm petstore instead\n`)
    )
    child.once("close", (code) => resolve(code === 0 ? undefined : output))
  })

/** Whether all projects were installed before. A filtered install could then remove commands of the others. */
const isComplete = () => existsSync(new URL("node_modules", import.meta.url))

/** Installs the projects that these filters select, or all. Ends the process if that fails. */
export const install = async (filters = []) => {
  let problem = await run(isComplete() ? [] : filters)
  // After a change of settings only an install of all projects may start over.
  if (problem?.includes("recreate the modules directory")) problem = await run([])
  if (problem === undefined) return
  process.stderr.write(problem)
  process.exit(1)
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await install(process.argv[2] === "service" ? serviceOnly : [])
