/** Starts the built program in a process of its own: with pipes, as scripts do, or on a terminal, as people do. */
import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import pty from "@lydell/node-pty"
import { Effect, type Scope } from "effect"
import { type Environment, environmentOf } from "./Folder.ts"
import { type Result, Running, type Seen, serveBy, withoutJson } from "./Running.ts"

/** The path of the built program. */
export const main = fileURLToPath(new URL("../../dist/main.js", import.meta.url))

/** Options of Node that load a module, which this is the source of, before the program. */
export const preloading = (source: string): string =>
  `--import=data:text/javascript,${encodeURIComponent(source)}`

/** How to run the program. */
export interface Options {
  readonly environment?: Environment
  readonly stdin?: string | Uint8Array
  /** What to run before the words, if not the built program with this Node. */
  readonly program?: readonly [string, ...ReadonlyArray<string>]
  /** A file descriptor for both outputs, instead of pipes. */
  readonly output?: number
}

/** A running process. */
export class Program extends Running {
  readonly process: ChildProcess
  readonly ended: Promise<Result>

  constructor(path: string, words: ReadonlyArray<string>, options: Options) {
    super()
    const { environment = {}, output = "pipe", program = [process.execPath, main] } = options
    const [file, ...args] = program
    this.process = spawn(file, [...args, ...words], {
      cwd: path,
      env: environmentOf(path, environment),
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
        resolve({ code, signal, stdout: this.stdout, stderr: withoutJson(this.stderr) })
      )
    )
  }

  protected get isOver() {
    return this.process.exitCode !== null
  }

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

/** Starts a server, and waits until it serves. */
export const serve = serveBy(start)

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

/** Prints the exit code after the output, and waits for a key: a terminal that closes may lose output. */
const lingering = '"$0" "$@"; printf "@exit %s@" "$?"; read -r key'

/** What is done once when a pattern is seen; types the keys that it returns. */
type Reaction = readonly [pattern: RegExp, react: (screen: string) => string | undefined]

/**
 * Runs the program to its end on a terminal. Wait for the last output before Ctrl-C is typed: it discards what the terminal
 * has not yet shown.
 */
export const runOnTerminal = (
  folder: string,
  words: ReadonlyArray<string>,
  {
    environment = {},
    reactions
  }: {
    readonly environment?: Environment
    readonly reactions?: ReadonlyArray<Reaction>
  } = {}
): Effect.Effect<Seen> =>
  Effect.async((resume) => {
    const command = [process.execPath, main, ...words]
    // Keys such as Ctrl-C must reach the program alone.
    const [file = "", ...args] =
      reactions === undefined ? ["/bin/sh", "-c", lingering, ...command] : command
    const terminal = pty.spawn(file, args, {
      name: environment["TERM"] ?? "xterm-256color",
      cols: 200,
      rows: 50,
      cwd: folder,
      env: environmentOf(folder, environment)
    })
    let screen = ""
    const awaited = new Set(reactions)
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
      for (const reaction of awaited) {
        const [pattern, react] = reaction
        if (!pattern.test(screen)) continue
        awaited.delete(reaction)
        const keys = react(screen)
        if (keys !== undefined) terminal.write(keys)
      }
    })
    terminal.onExit(({ exitCode, signal }) => {
      const lines = screen.split("\r\n")
      resume(Effect.succeed({ code: code ?? exitCode, signal: signal || undefined, screen, lines }))
    })
    return Effect.sync(() => terminal.kill("SIGKILL"))
  })
