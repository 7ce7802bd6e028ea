// Runs a task of tests in all packages, on one PostgreSQL, with a line for each package and the output of those that fail.
// Reports the slowest tests and those that failed.
import { spawn } from "node:child_process"
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { json } from "node:stream/consumers"
import { begin } from "./progress.mjs"

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

/** The packages whose tests run now. */
const running = new Set()
const step = begin(() => ["building and testing", ...running].join(" "))
const seconds = (took) => `${(took / 1000).toFixed(1).padStart(6)} s`

/** What was noted of the tests so far. */
const tests = []
const note = (name, noted) => {
  if (noted === undefined) return running.add(name)
  running.delete(name)
  tests.push(...noted.tests)
  const failed = noted.tests.filter(({ isFailed }) => isFailed).length
  const result = `${noted.tests.length} tests${failed > 0 ? `, ${failed} failed` : ""}`
  step.print(`${seconds(noted.took)}  ${name}: ${result}\n`)
}

/** The server, started for the first package that asks for its port: by then the module is built. */
let postgres
const start = async () => {
  const module = "../packages/local-postgres/dist/LocalPostgres.js"
  const { forTests, start } = await import(module)
  return start(...forTests)
}

/** Asked by packages for the port, and told about their tests. */
const asked = createServer(async (request, response) => {
  if (request.method === "POST") {
    const { name, noted } = await json(request)
    note(name, noted)
    return response.end()
  }
  postgres ??= start()
  postgres.then(
    ({ port }) => response.end(String(port)),
    (error) => response.writeHead(500).end(String(error))
  )
})
await new Promise((resolve) => asked.listen(0, "127.0.0.1", resolve))
const address = `http://127.0.0.1:${asked.address().port}`

const turbo = spawn(
  "turbo",
  ["run", task, "--continue", "--log-order=grouped", "--output-logs=errors-only", ...options],
  {
    // Without a terminal, tools print lines that stay.
    stdio: ["ignore", "pipe", "pipe"],
    shell: process.platform === "win32",
    env: {
      ...process.env,
      PETSTORE_TEST_NODE: `${process.version} ${process.arch}`,
      PETSTORE_TEST_NOTES: address,
      PETSTORE_TEST_POSTGRES: address,
      TURBO_TELEMETRY_DISABLED: "1"
    }
  }
)
for (const stream of [turbo.stdout, turbo.stderr]) stream.setEncoding("utf8").on("data", step.print)
// Ctrl-C ends Turborepo, too, and then this.
process.on("SIGINT", () => {})
process.on("SIGTERM", () => turbo.kill("SIGTERM"))
const code = await new Promise((resolve) => {
  turbo.once("error", (error) => {
    process.stderr.write(`${error.message}\n`)
    resolve(1)
  })
  turbo.once("close", (code) => resolve(code ?? 1))
})
step.end()
asked.close()
await postgres?.then(
  ({ remove }) => remove(),
  () => {}
)

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
    .map((test) => `${seconds(test.took)}  ${nameOf(test)}`)
)
const failed = tests.filter(({ isFailed }) => isFailed)
list(`${failed.length} failed:`, failed.map(nameOf))
process.exit(code)
