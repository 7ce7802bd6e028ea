/** The built program, run with words: in pipes, as scripts run it, and on a terminal, as people do. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import pty from "@lydell/node-pty"
import { Effect, type Scope } from "effect"

/** Where the built program is. */
export const main = fileURLToPath(new URL("../../dist/main.js", import.meta.url))

type Environment = Readonly<Record<string, string>>

/** How a command went. */
export interface Result {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** Nothing of the environment that the tests run in reaches the program. */
const clean = (environment: Environment) => ({ PATH: process.env["PATH"] ?? "", ...environment })

const wait = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

/** A command under way. */
export class Running {
  readonly process: ChildProcessWithoutNullStreams
  readonly ended: Promise<Result>
  stdout = ""
  stderr = ""

  constructor(folder: string, words: ReadonlyArray<string>, environment: Environment) {
    this.process = spawn(process.execPath, [main, ...words], {
      cwd: folder,
      env: clean(environment)
    })
    this.process.stdout.setEncoding("utf8").on("data", (text) => {
      this.stdout += text
    })
    this.process.stderr.setEncoding("utf8").on("data", (text) => {
      this.stderr += text
    })
    // A command that ends early closes the pipe while it is still fed.
    this.process.stdin.on("error", () => {})
    this.ended = new Promise((resolve) =>
      this.process.once("close", (code, signal) =>
        resolve({ code, signal, stdout: this.stdout, stderr: this.stderr })
      )
    )
  }

  /** The text that the pattern finds in what it has printed, once it is there. */
  async until(pattern: RegExp): Promise<string> {
    const deadline = Date.now() + 20_000
    while (Date.now() < deadline) {
      const found = pattern.exec(this.stdout + this.stderr)
      if (found !== null) return found[1] ?? found[0]
      if (this.process.exitCode !== null) break
      await wait(5)
    }
    throw new Error(`it does not print ${pattern}: ${this.stdout}${this.stderr}`)
  }

  async stop(signal: NodeJS.Signals): Promise<Result> {
    this.process.kill(signal)
    return this.ended
  }
}

/** Starts a command with its pipes open; it is ended with the scope. */
export const open = (
  folder: string,
  words: ReadonlyArray<string>,
  environment: Environment = {}
): Effect.Effect<Running, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => new Running(folder, words, environment)),
    (running) => Effect.promise(() => running.stop("SIGKILL"))
  )

/** What else a command is given. */
export interface Given {
  readonly environment?: Environment
  readonly stdin?: string | Uint8Array
}

/** Runs a command to its end, in pipes. */
export const run = (
  folder: string,
  words: ReadonlyArray<string>,
  { environment = {}, stdin = "" }: Given = {}
): Effect.Effect<Result> =>
  Effect.scoped(
    Effect.gen(function* () {
      const running = yield* open(folder, words, environment)
      running.process.stdin.end(stdin)
      return yield* Effect.promise(() => running.ended)
    })
  )

/** How a command went on a terminal, where one output is all there is. */
export interface Seen {
  readonly code: number
  readonly signal: number | undefined
  /** What came to the terminal, with the line ends of one. */
  readonly screen: string
  /** The same, as lines. */
  readonly lines: ReadonlyArray<string>
}

/** What a person does at the terminal. */
export interface Person {
  readonly environment?: Environment
  /** Typed as soon as the pattern is seen. */
  readonly types?: { readonly keys: string; readonly once: RegExp }
}

/** Runs a command to its end, on a terminal. */
export const runOnTerminal = (
  folder: string,
  words: ReadonlyArray<string>,
  { environment = {}, types }: Person = {}
): Effect.Effect<Seen> =>
  Effect.async((resume) => {
    const terminal = pty.spawn(process.execPath, [main, ...words], {
      name: "xterm-256color",
      cols: 200,
      rows: 50,
      cwd: folder,
      env: clean(environment)
    })
    let screen = ""
    let isTyped = false
    terminal.onData((text) => {
      screen += text
      if (types === undefined || isTyped || !types.once.test(screen)) return
      isTyped = true
      terminal.write(types.keys)
    })
    terminal.onExit(({ exitCode, signal }) => {
      const lines = screen.split("\r\n")
      resume(Effect.succeed({ code: exitCode, signal: signal || undefined, screen, lines }))
    })
    return Effect.sync(() => terminal.kill("SIGKILL"))
  })

/** Runs a command whose reader goes away after the first piece, as `head` does. */
export const runUnread = (
  folder: string,
  words: ReadonlyArray<string>,
  environment: Environment = {}
): Effect.Effect<Result> =>
  Effect.scoped(
    Effect.gen(function* () {
      const running = yield* open(folder, words, environment)
      running.process.stdout.once("data", () => running.process.stdout.destroy())
      return yield* Effect.promise(() => running.ended)
    })
  )
