/** A process of the service, as it is built. */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import * as LocalPostgres from "@petstore/local-postgres/LocalPostgres"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Http from "./Http.ts"
import * as Wait from "./Wait.ts"

/** The API key that every service accepts. */
export const key = "torture-key-0123456789abcdef0123456789abcdef"

/** The program. */
export const program = fileURLToPath(new URL("../../../api/dist/main.js", import.meta.url))

/** How a service is started. */
export interface Options {
  /** The URL of its database. */
  readonly url: string
  /** Settings, besides its address, database and key. */
  readonly env?: Readonly<Record<string, string>>
  /** A command that runs the program, such as `strace -D`. It must become the program, or leave it as its child. */
  readonly wrapper?: ReadonlyArray<string>
  /** The part of `sabotage.mjs` that is loaded into the program and breaks it. */
  readonly sabotage?: string | undefined
  /** A free one by default. */
  readonly port?: number
}

/** A server, which may be down. */
export interface Service {
  readonly port: number
  readonly pid: () => number | undefined
  /** Everything that it has printed. */
  readonly output: () => string
  /** Starts a process, and succeeds once it is ready. Fails if it ends before, with its output. */
  readonly start: Effect.Effect<void, NotReady>
  /** Kills its process, as a crash would. */
  readonly kill: Effect.Effect<void>
  /** Asks it to stop, and returns its exit code once it has ended. */
  readonly stop: Effect.Effect<number>
  /** Whether its process runs. */
  readonly isRunning: () => boolean
}

/** The service ended before it was ready, or did not become ready. */
export class NotReady extends Data.TaggedError("NotReady")<{
  readonly exitCode: number | undefined
  readonly output: string
}> {
  override get message() {
    return `the service is not ready: ${this.output}`
  }
}

const startTimeoutMillis = 120_000

/** A service that is not started yet; it stops with the scope. */
export const make = (options: Options): Effect.Effect<Service, never, Scope.Scope> =>
  Effect.gen(function* () {
    const port = options.port ?? (yield* Effect.promise(LocalPostgres.freePort))
    let child: ChildProcess | undefined
    let isRunning = false
    let output = ""
    const end = async (signal: "SIGKILL" | "SIGTERM") => {
      if (child?.pid === undefined) return -1
      const ended = isRunning ? once(child, "close") : undefined
      // A crash is that of its wrapper, too.
      if (child.exitCode === null && child.signalCode === null)
        process.kill(signal === "SIGKILL" ? -child.pid : child.pid, signal)
      await ended
      return child.exitCode ?? -1
    }
    const launch = () => {
      const [command, ...words] = [...(options.wrapper ?? []), process.execPath]
      child = spawn(command ?? "", [...words, ...programOf(options)], {
        stdio: ["ignore", "pipe", "pipe"],
        detached: true,
        env: {
          PATH: process.env["PATH"],
          TMPDIR: process.env["TMPDIR"],
          HOST: "127.0.0.1",
          PORT: String(port),
          DATABASE_URL: options.url,
          PETSTORE_API_KEYS: key,
          LOG_LEVEL: "warn",
          LOG_FORMAT: "json",
          ...options.env
        }
      })
      for (const stream of [child.stdout, child.stderr])
        stream?.on("data", (chunk: Buffer) => {
          output += chunk.toString()
        })
      isRunning = true
      // Not at its exit: what it printed last may arrive later.
      child.once("close", () => {
        isRunning = false
      })
    }
    yield* Effect.addFinalizer(() => Effect.promise(() => end("SIGKILL")))
    return {
      port,
      pid: () => child?.pid,
      output: () => output,
      isRunning: () => isRunning,
      start: Effect.sync(launch).pipe(
        Effect.zipRight(
          Wait.holds(async () => (await isReady(port)) || !isRunning, startTimeoutMillis)
        ),
        Effect.filterOrFail(
          (isInTime) => isInTime && isRunning,
          () => new NotReady({ exitCode: child?.exitCode ?? undefined, output })
        ),
        Effect.asVoid
      ),
      kill: Effect.promise(() => end("SIGKILL")),
      stop: Effect.promise(() => end("SIGTERM"))
    }
  })

const execute = promisify(execFile)

/** What Node runs. */
const programOf = ({ sabotage }: Pick<Options, "sabotage">) => {
  const module = new URL(`../../src/sabotage.mjs?${sabotage}`, import.meta.url)
  return [...(sabotage === undefined ? [] : ["--import", module.href]), program]
}

/** A command of the program; it is killed with the scope. */
export const command = (
  words: ReadonlyArray<string>,
  { cwd, env, sabotage, url }: Pick<Options, "url" | "env" | "sabotage"> & { readonly cwd?: string }
) =>
  Effect.gen(function* () {
    const options = { cwd, env: { PATH: process.env["PATH"], DATABASE_URL: url, ...env } }
    const running = yield* Effect.acquireRelease(
      Effect.sync(() => execute(process.execPath, [...programOf({ sabotage }), ...words], options)),
      ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
    )
    // Rejects with what was printed, too, and without a code if it was killed.
    const ended = running.then(
      (printed) => ({ ...printed, code: 0 }),
      (error: { stdout: string; stderr: string; code: number | null }) => error
    )
    return { process: running.child, ended: Effect.promise(() => ended) }
  })

/** A service that is ready; it stops with the scope. Dies if it does not become ready. */
export const started = (options: Options): Effect.Effect<Service, never, Scope.Scope> =>
  make(options).pipe(Effect.tap(({ start }) => Effect.orDie(start)))

/** Whether the server at this port says that it is ready. */
export const isReady = (port: number): Promise<boolean> =>
  Http.send(port, { method: "GET", path: "/readyz" }).then(
    ({ status }) => status === 200,
    () => false
  )
