/** Runs the built program: with pipes, as scripts and operators do, or on a terminal, as people do. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import pty from "@lydell/node-pty"
import * as SharedPostgres from "@petstore/local-postgres/SharedPostgres"
import { Effect, type Scope } from "effect"

/** The path of the built program. */
export const main = fileURLToPath(new URL("../../dist/main.js", import.meta.url))

type Environment = Readonly<Record<string, string>>

/** What the programs of a folder find in their environment besides what a test adds. */
const environments = new Map<string, Environment>()

/** How a process ended, and what it printed. */
export interface Result {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** How to run the program. */
export interface Options {
  readonly environment?: Environment
  readonly stdin?: string | Uint8Array
  /** What to run before the words, if not the built program with this Node. */
  readonly program?: readonly [string, ...ReadonlyArray<string>]
  /** A file descriptor for both outputs, instead of pipes. */
  readonly output?: number
}

/** The environment of the tests does not reach the program. */
const clean = (environment: Environment) => ({ PATH: process.env["PATH"] ?? "", ...environment })

/** A temporary folder, removed with the scope. */
export const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "petstore-api-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** The same; its programs use a new database of PostgreSQL. */
export const folderOnPostgres = Effect.gen(function* () {
  const path = yield* folder
  environments.set(path, { DATABASE_URL: yield* SharedPostgres.database })
  yield* Effect.addFinalizer(() => Effect.sync(() => environments.delete(path)))
  return path
})

/** The PostgreSQL database of a folder's programs, if they use one. */
export const postgresOf = (path: string): string | undefined =>
  environments.get(path)?.["DATABASE_URL"]

/** The databases that survive a restart, each with a folder for its programs. */
export const places: Readonly<Record<string, Effect.Effect<string, never, Scope.Scope>>> = {
  SQLite: folder,
  PostgreSQL: folderOnPostgres
}

/** A running process. */
export class Program {
  readonly process: ChildProcess
  readonly ended: Promise<Result>
  stdout = ""
  stderr = ""

  constructor(folder: string, words: ReadonlyArray<string>, options: Options) {
    const { environment = {}, output = "pipe", program = [process.execPath, main] } = options
    const [file, ...args] = program
    this.process = spawn(file, [...args, ...words], {
      cwd: folder,
      env: clean({ ...environments.get(folder), ...environment }),
      stdio: ["pipe", output, output]
    })
    this.process.stdout?.setEncoding("utf8").on("data", (text) => {
      this.stdout += text
    })
    this.process.stderr?.setEncoding("utf8").on("data", (text) => {
      this.stderr += text
    })
    // A process that ends early closes the pipe while it is being written.
    this.process.stdin?.on("error", () => {})
    this.ended = new Promise((resolve) =>
      this.process.once("close", (code, signal) =>
        resolve({ code, signal, stdout: this.stdout, stderr: this.stderr })
      )
    )
  }

  /** Waits until the output matches the pattern. Resolves to the first group, or the whole match. */
  async until(pattern: RegExp): Promise<string> {
    const deadline = Date.now() + 20_000
    while (Date.now() < deadline) {
      const found = pattern.exec(this.stdout + this.stderr)
      if (found !== null) return found[1] ?? found[0]
      if (this.process.exitCode !== null) break
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    throw new Error(`the output does not match ${pattern}: ${this.stdout}${this.stderr}`)
  }

  /** Waits until the output has so many lines that match the pattern, and resolves to them. */
  async untilAll(pattern: RegExp, count: number): Promise<ReadonlyArray<string>> {
    const deadline = Date.now() + 60_000
    while (Date.now() < deadline && this.process.exitCode === null) {
      const found = this.stdout.split("\n").filter((line) => pattern.test(line))
      if (found.length >= count) return found
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    throw new Error(`not ${count} lines match ${pattern}: ${this.stdout}${this.stderr}`)
  }

  /** The address of a server, once it listens. */
  url(): Promise<string> {
    return this.until(/serving (http:\S+) /)
  }

  /** Writes to standard input. Resolves once the pipe takes more, so what was there has been read. */
  write(text: string): Promise<void> {
    return new Promise((resolve) => this.process.stdin?.write(text, () => resolve()))
  }

  async stop(signal: NodeJS.Signals): Promise<Result> {
    this.process.kill(signal)
    return this.ended
  }
}

/** Starts the program with standard input open; it is killed with the scope. */
export const open = (
  folder: string,
  words: ReadonlyArray<string>,
  options: Options = {}
): Effect.Effect<Program, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => new Program(folder, words, options)),
    (program) => Effect.promise(() => program.stop("SIGKILL"))
  )

/** Starts a server, on a free port unless the environment names one. */
export const start = (folder: string, environment: Environment = {}) =>
  open(folder, [], { environment: { PORT: "0", ...environment } })

/** Runs the program to its end. */
export const run = (
  folder: string,
  words: ReadonlyArray<string>,
  options: Options = {}
): Effect.Effect<Result> =>
  Effect.scoped(
    Effect.flatMap(open(folder, words, options), (program) => {
      program.process.stdin?.end(options.stdin ?? "")
      return Effect.promise(() => program.ended)
    })
  )

/** Runs the program and closes its output pipe after the first data, as `head` does. */
export const runUnread = (
  folder: string,
  words: ReadonlyArray<string>,
  environment: Environment = {}
): Effect.Effect<Result> =>
  Effect.scoped(
    Effect.flatMap(open(folder, words, { environment }), ({ ended, process: { stdout } }) => {
      stdout?.once("data", () => stdout.destroy())
      return Effect.promise(() => ended)
    })
  )

/** How a process ended on a terminal, which shows both outputs. */
export interface Seen {
  readonly code: number
  readonly signal: number | undefined
  /** The output, with the line ends of a terminal. */
  readonly screen: string
  readonly lines: ReadonlyArray<string>
}

/** Prints the exit code after the output, and waits for a key: a terminal that closes may lose output. */
const lingering = '"$0" "$@"; printf "@exit %s@" "$?"; read -r key'

/** Runs the program to its end on a terminal; types the keys once the pattern is seen and `after` is done. */
export const runOnTerminal = (
  folder: string,
  words: ReadonlyArray<string>,
  {
    environment = {},
    types
  }: {
    readonly environment?: Environment
    readonly types?: {
      readonly keys: string
      readonly once: RegExp
      readonly after?: (screen: string) => Promise<unknown>
    }
  } = {}
): Effect.Effect<Seen> =>
  Effect.async((resume) => {
    const command = [process.execPath, main, ...words]
    // Keys such as Ctrl-C must reach the program alone.
    const [file = "", ...args] =
      types === undefined ? ["/bin/sh", "-c", lingering, ...command] : command
    const terminal = pty.spawn(file, args, {
      name: "xterm-256color",
      cols: 200,
      rows: 50,
      cwd: folder,
      env: clean({ ...environments.get(folder), ...environment })
    })
    let screen = ""
    let isTyped = false
    let code: number | undefined
    terminal.onData((text) => {
      // Then the terminal only echoes the key.
      if (code !== undefined) return
      screen += text
      const [ending, printed] = /@exit (\d+)@$/.exec(screen) ?? []
      if (ending !== undefined) {
        code = Number(printed)
        screen = screen.slice(0, -ending.length)
        terminal.write("\r")
      }
      if (types === undefined || isTyped || !types.once.test(screen)) return
      isTyped = true
      void Promise.resolve(types.after?.(screen)).then(() => terminal.write(types.keys))
    })
    terminal.onExit(({ exitCode, signal }) => {
      const lines = screen.split("\r\n")
      resume(Effect.succeed({ code: code ?? exitCode, signal: signal || undefined, screen, lines }))
    })
    return Effect.sync(() => terminal.kill("SIGKILL"))
  })
