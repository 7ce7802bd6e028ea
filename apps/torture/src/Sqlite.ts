/** Another process that uses the file of the service. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

const script = fileURLToPath(new URL("../../src/sabotage/execute.mjs", import.meta.url))

/** Executes statements, and keeps the connection, and what it has locked, until the scope closes. */
export const execute = (
  file: string,
  ...statements: ReadonlyArray<string>
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const child = spawn(process.execPath, [script, file, ...statements], {
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
