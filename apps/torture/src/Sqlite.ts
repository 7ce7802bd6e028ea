/** Another process that uses the file of the service. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

const script = `
  const [, packageFile, file, ...statements] = process.argv
  const Database = require("node:module").createRequire(packageFile)("better-sqlite3")
  const database = new Database(file)
  for (const statement of statements) database.exec(statement)
  process.stdout.write("done\\n")
  process.stdin.on("end", () => database.close()).resume()
`

/** The package whose SQLite driver it uses: the service's. */
const packageFile = fileURLToPath(new URL("../../../api/package.json", import.meta.url))

/** Executes statements, and keeps the connection, and what it has locked, until the scope closes. */
export const execute = (
  file: string,
  ...statements: ReadonlyArray<string>
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const words = ["--eval", script, packageFile, file, ...statements]
      const child = spawn(process.execPath, words, {
        stdio: ["pipe", "pipe", "inherit"]
      })
      const ended = once(child, "exit")
      const isDone = await Promise.race([
        once(child.stdout, "data").then(() => true),
        ended.then(() => false)
      ])
      if (!isDone) throw new Error(`SQLite did not execute ${statements.join("; ")}`)
      return { child, ended }
    }),
    ({ child, ended }) =>
      Effect.promise(() => {
        child.stdin.end()
        return ended
      })
  )
