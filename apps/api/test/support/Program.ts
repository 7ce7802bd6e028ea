/** Runs command lines in this process, as the program would: for all that needs no process of its own. */
import { EventEmitter } from "node:events"
import { cpSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { PassThrough, Writable } from "node:stream"
import { Clock, ConfigProvider, Effect, Fiber, type Scope } from "effect"
import * as Terminal from "../../src/cli/Terminal.ts"
import * as Program from "../../src/commands/Program.ts"
import { type Environment, environmentOf } from "./Folder.ts"
import { type Result, Running, type Seen, serveBy, withoutJson } from "./Running.ts"

/** How to run a command line. */
export interface Options {
  readonly environment?: Environment
  readonly stdin?: string | Uint8Array
  /** Whether the streams are a terminal. */
  readonly isTerminal?: boolean
  /** Whether the reader of standard output goes away after the first data, as `head` does. */
  readonly isUnread?: boolean
  readonly clock?: Clock.Clock
  /** Called with all output, at once. */
  readonly onOutput?: (text: string, command: Command) => void
}

const closedPipe = () => Object.assign(new Error("write EPIPE"), { code: "EPIPE" })

/** A process that is none. */
export class FakeProcess extends EventEmitter {
  readonly stdin: PassThrough & { readonly isTTY: boolean }
  readonly stdout: Writable & { readonly isTTY: boolean }
  readonly stderr: Writable & { readonly isTTY: boolean }
  exitCode: string | number | null | undefined
  readonly exit: (code: number) => void

  constructor(
    { isTerminal: isTTY = false, isUnread = false }: Options,
    onOutput: (stream: "stdout" | "stderr", text: string) => void,
    exit: (code: number) => void
  ) {
    super()
    this.exit = exit
    const output = (stream: "stdout" | "stderr") => {
      let isClosed = false
      return Object.assign(
        new Writable({
          decodeStrings: false,
          write: (piece: string | Buffer, _, done) => {
            if (isClosed) return done(closedPipe())
            onOutput(stream, String(piece))
            isClosed = isUnread && stream === "stdout"
            done()
          }
        }),
        { isTTY }
      )
    }
    this.stdin = Object.assign(new PassThrough(), { isTTY })
    this.stdout = output("stdout")
    this.stderr = output("stderr")
  }
}

/** The folder that relative paths start from is that of the whole process, so commands run in one at a time. */
const home = process.cwd()
let current = home
let users = 0
let waiting: Array<() => void> = []

/** Keeps commands of other folders from running, and relative paths in this one, until the scope closes. */
export const inFolder = (path: string) =>
  Effect.acquireRelease(
    Effect.async<void>((resume) => {
      const enter = () => {
        if (users > 0 && current !== path) return void waiting.push(enter)
        users++
        current = path
        process.chdir(path)
        resume(Effect.void)
      }
      enter()
    }),
    () =>
      Effect.sync(() => {
        if (--users > 0) return
        process.chdir(home)
        const next = waiting
        waiting = []
        for (const enter of next) enter()
      })
  )

/** A command line that runs. */
class Command extends Running {
  readonly ended: Promise<Result>
  readonly process: FakeProcess
  protected isOver = false
  /** Both outputs, in their order. */
  screen = ""
  readonly #fiber: Fiber.RuntimeFiber<void, unknown>

  constructor(
    path: string,
    words: ReadonlyArray<string>,
    environment: Environment,
    options: Options
  ) {
    super()
    let code: number | undefined
    const { clock = Clock.make(), onOutput: note } = options
    // The paths of databases are shown absolute, and tests write them relative to their folder.
    const shows = (text: string) => text.replaceAll(`${path}/`, "")
    const onOutput = (stream: "stdout" | "stderr", text: string) => {
      this[stream] += shows(text)
      this.screen += shows(text).replaceAll("\n", "\r\n")
      note?.(text, this)
    }
    this.process = new FakeProcess(options, onOutput, (given) => {
      code = given
      this.#interrupt()
    })
    this.#fiber = Program.run(words).pipe(
      Effect.provideService(Terminal.Terminal, this.process),
      Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(environment)))),
      Effect.withClock(clock),
      Effect.runFork
    )
    this.ended = Effect.runPromise(Fiber.await(this.#fiber)).then((exit) => {
      this.process.emit("exit")
      this.isOver = true
      const { stderr, stdout } = this
      return {
        code: code ?? Program.exitCodeOf(exit, this.process),
        signal: null,
        stdout,
        stderr: withoutJson(stderr)
      }
    })
  }

  #interrupt() {
    this.#fiber.unsafeInterruptAsFork(this.#fiber.id())
  }

  stop(signal: NodeJS.Signals): Promise<Result> {
    if (signal === "SIGKILL") throw new Error("only a process of its own can be killed")
    this.process.emit(signal)
    this.#interrupt()
    return this.ended
  }

  write(text: string): Promise<void> {
    return new Promise((resolve) => this.process.stdin.write(text, () => resolve()))
  }
}

const running = (make: () => Command) =>
  Effect.acquireRelease(Effect.sync(make), (command) =>
    Effect.promise(() => command.stop("SIGTERM"))
  )

/** Starts a command with standard input open; it is interrupted with the scope. */
export const open = (
  path: string,
  words: ReadonlyArray<string>,
  options: Options = {}
): Effect.Effect<Command, never, Scope.Scope> =>
  Effect.zipRight(
    inFolder(path),
    running(() => new Command(path, words, environmentOf(path, options.environment ?? {}), options))
  )

/** Starts a server, on a free port unless the environment names one. Several may run, in any folders. */
export const start = (path: string, given: Environment = {}, options: Options = {}) =>
  running(() => {
    const environment = environmentOf(path, { PORT: "0", ...given })
    // A relative path would depend on the folder in which commands run at the moment.
    const url = environment["DATABASE_URL"] || "sqlite:data/petstore.db"
    const DATABASE_URL = url.replace(/^sqlite:(?=[^/])/, `sqlite:${path}/`)
    return new Command(path, [], { ...environment, DATABASE_URL }, options)
  })

/** Starts a server, and waits until it serves. */
export const serve = serveBy(start)

/** Stops a server, and leaves its files as they were before: what it would leave if it were killed. */
export const kill = (path: string, server: Command): Effect.Effect<void> =>
  Effect.promise(async () => {
    const [data, left] = [join(path, "data"), join(path, "left")]
    cpSync(data, left, { recursive: true })
    await server.stop("SIGTERM")
    rmSync(data, { recursive: true })
    renameSync(left, data)
  })

/** Runs a command to its end. */
export const run = (
  path: string,
  words: ReadonlyArray<string>,
  options: Options = {}
): Effect.Effect<Result> =>
  Effect.scoped(
    Effect.flatMap(open(path, words, options), (command) => {
      if (!options.isTerminal) command.process.stdin.end(options.stdin ?? "")
      return Effect.promise(() => command.ended)
    })
  )

/** Runs a command to its end on a terminal. */
export const runOnTerminal = (
  path: string,
  words: ReadonlyArray<string>,
  options: Options = {}
): Effect.Effect<Seen> =>
  Effect.scoped(
    Effect.gen(function* () {
      const command = yield* open(path, words, { ...options, isTerminal: true })
      const { code } = yield* Effect.promise(() => command.ended)
      const { screen } = command
      return { code: code ?? 0, signal: undefined, screen, lines: screen.split("\r\n") }
    })
  )

/** Runs a command whose reader goes away after the first data, as `head` does. */
export const runUnread = (
  path: string,
  words: ReadonlyArray<string>,
  environment: Environment = {}
): Effect.Effect<Result> => run(path, words, { environment, isUnread: true })
