/** Another process that uses the file of the service: SQLite's locks belong to a process. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

const script = `
  const { DatabaseSync } = require("node:sqlite")
  const [, file, ...statements] = process.argv
  const database = new DatabaseSync(file, { timeout: 5000 })
  for (const statement of statements) database.exec(statement)
  process.stdout.write("done\\n")
  process.stdin.on("end", () => database.close()).resume()
`

/** Executes statements, and keeps the connection, and what it has locked, until the scope closes. */
export const execute = (
  file: string,
  ...statements: ReadonlyArray<string>
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const words = ["--no-warnings", "--eval", script, file, ...statements]
      const child = spawn(process.execPath, words, { stdio: ["pipe", "pipe", "inherit"] })
      const ended = once(child, "exit").then(() => {})
      const first = await Promise.race([once(child.stdout, "data"), ended])
      if (first === undefined) throw new Error(`SQLite did not execute ${statements.join("; ")}`)
      return { child, ended }
    }),
    ({ child, ended }) =>
      Effect.promise(() => {
        child.stdin.end()
        return ended
      })
  )
