// Runs a task of tests in all packages, on one PostgreSQL, and reports the slowest tests and those that failed.
import { spawn } from "node:child_process"
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"

const [, , task = "test", ...options] = process.argv

/** Where files of tests are: in memory if there is room, since many databases are created and dropped. */
const memory = "/dev/shm"
const hasRoom = () => {
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize > 4 * 1024 ** 3
}
const folder = mkdtempSync(
  join(existsSync(memory) && hasRoom() ? memory : tmpdir(), "petstore-tests-")
)
// PostgreSQL runs as another user if this one is root.
chmodSync(folder, 0o755)
process.env.TMPDIR = folder
const notes = join(folder, "notes")

/** The server, started for the first package that asks for its port: by then the module is built. */
let postgres
const start = async () => {
  const module = "../packages/local-postgres/dist/LocalPostgres.js"
  const { forTests, start } = await import(module)
  return start(...forTests)
}
const asked = createServer(async (_, response) => {
  postgres ??= start()
  postgres.then(
    ({ port }) => response.end(String(port)),
    (error) => response.writeHead(500).end(String(error))
  )
})
await new Promise((resolve) => asked.listen(0, "127.0.0.1", resolve))

const turbo = spawn(
  "turbo",
  ["run", task, "--continue", "--log-order=grouped", "--output-logs=new-only", ...options],
  {
    stdio: "inherit",
    shell: process.platform === "win32",
    env: {
      ...process.env,
      PETSTORE_TEST_NODE: `${process.version} ${process.arch}`,
      PETSTORE_TEST_NOTES: notes,
      PETSTORE_TEST_POSTGRES: `http://127.0.0.1:${asked.address().port}`
    }
  }
)
// Ctrl-C ends Turborepo, too, and then this.
process.on("SIGINT", () => {})
process.on("SIGTERM", () => turbo.kill("SIGTERM"))
const code = await new Promise((resolve) => {
  turbo.once("error", (error) => {
    process.stderr.write(`${error.message}\n`)
    resolve(1)
  })
  turbo.once("exit", (code) => resolve(code ?? 1))
})
asked.close()
await postgres?.then(
  ({ remove }) => remove(),
  () => {}
)

const tests = existsSync(notes)
  ? readFileSync(notes, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
  : []
rmSync(folder, { recursive: true, force: true })

const list = (title, lines) => {
  if (lines.length > 0) process.stdout.write(`\n${title}\n${lines.join("\n")}\n`)
}
const nameOf = ({ file, test }) => `${file}${test === "" ? "" : ` > ${test}`}`
list(
  "The slowest tests:",
  tests
    .toSorted((a, b) => b.took - a.took)
    .slice(0, 10)
    .map((test) => `${(test.took / 1000).toFixed(1).padStart(6)} s  ${nameOf(test)}`)
)
const failed = tests.filter(({ isFailed }) => isFailed)
list(`${failed.length} failed:`, failed.map(nameOf))
process.exit(code)
