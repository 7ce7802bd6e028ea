/** The built program, run as an operator runs it. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"

/** The built program. */
export const main = fileURLToPath(new URL("../../dist/main.js", import.meta.url))

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export class Program {
  readonly process: ChildProcess
  readonly ended: Promise<Ended>
  stdout = ""
  stderr = ""

  constructor(folder: string, environment: Readonly<Record<string, string>>) {
    this.process = spawn(process.execPath, [main], {
      cwd: folder,
      env: { PATH: process.env["PATH"] ?? "", PORT: "0", ...environment },
      stdio: ["ignore", "pipe", "pipe"]
    })
    this.process.stdout?.on("data", (text) => {
      this.stdout += text
    })
    this.process.stderr?.on("data", (text) => {
      this.stderr += text
    })
    this.ended = new Promise((resolve) =>
      this.process.once("close", (code, signal) => resolve({ code, signal }))
    )
  }

  /** Where it serves, once it says so. */
  async url(): Promise<string> {
    const deadline = Date.now() + 20_000
    while (Date.now() < deadline) {
      const found = /serving (http:\S+) /.exec(this.stdout)?.[1]
      if (found !== undefined) return found
      if (this.process.exitCode !== null) break
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    throw new Error(`it does not serve: ${this.stdout}${this.stderr}`)
  }

  async stop(signal: NodeJS.Signals): Promise<Ended> {
    this.process.kill(signal)
    return this.ended
  }
}

/** A new folder, gone with the scope. */
export const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "petstore-api-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** Starts the program in a folder; it is ended with the scope. */
export const start = (path: string, environment: Readonly<Record<string, string>> = {}) =>
  Effect.acquireRelease(
    Effect.sync(() => new Program(path, environment)),
    (program) => Effect.promise(() => program.stop("SIGKILL"))
  )
