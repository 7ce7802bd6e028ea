/** Interrupts a command, like Ctrl-C, at a certain moment. */
import { readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs"
import { createRequire, syncBuiltinESMExports } from "node:module"
import { join } from "node:path"
import { Worker } from "node:worker_threads"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { folder } from "./Folder.ts"
import { preloading } from "./Process.ts"
import { inFolder, type Options, open, run } from "./Program.ts"
import type { Result } from "./Running.ts"
import { addPets, lines } from "./Stock.ts"

type Call = "appendFile" | "link" | "rename" | "statfs" | "writeFile"
type Work = (...values: ReadonlyArray<unknown>) => unknown

/** Preloaded into a command: kills it at its first call of a function of `node:fs/promises`, such as `rename`. */
const hook = `
  import files from "node:fs/promises"
  import { syncBuiltinESMExports } from "node:module"
  files[process.env.KILLED_AT] = () => process.kill(process.pid, "SIGKILL")
  syncBuiltinESMExports()
`
const files = createRequire(import.meta.url)("node:fs/promises")

/** The environment of a process that is killed at its first call of a function of `node:fs/promises`. */
export const killedAtCall = (call: Call) => ({
  NODE_OPTIONS: preloading(hook),
  KILLED_AT: call
})

/** Lets what killed commands have left in a folder be two hours old. */
export const ageLeftovers = (path: string): void => {
  const left = readdirSync(path, { recursive: true, encoding: "utf8" })
  const time = Date.now() / 1000 - 7200
  for (const name of left) if (name.includes(".partial")) utimesSync(join(path, name), time, time)
}

/** Runs a command, and interrupts it when `watch` calls back. Its result is what undoes the watching. */
export const interruptedBy = (
  path: string,
  words: ReadonlyArray<string>,
  watch: (interrupt: () => void) => () => void,
  { stdin, ...options }: Options = {}
): Effect.Effect<Result> =>
  Effect.gen(function* () {
    let interrupt = () => {}
    yield* inFolder(path)
    yield* Effect.acquireRelease(
      Effect.sync(() => watch(() => interrupt())),
      (unwatch) => Effect.sync(unwatch)
    )
    const command = yield* open(path, words, options)
    command.process.stdin.end(stdin)
    interrupt = () => void command.stop("SIGINT")
    return yield* Effect.promise(() => command.ended)
  }).pipe(Effect.scoped)

/** Puts another function in the place of one of `node:fs/promises`, until the result is called. */
export const replaceCall = (call: Call, other: (original: Work) => Work) => {
  const original = files[call]
  const use = (used: Work) => {
    files[call] = used
    syncBuiltinESMExports()
  }
  use(other(original))
  return () => use(original)
}

/** Calls back before every call of a function of `node:fs/promises`, until the result is called. */
export const watchCalls = (call: Call, onCall: () => void) =>
  replaceCall(call, (original) => (...values) => {
    onCall()
    return original(...values)
  })

/** Interrupts a command at its first call of a function of `node:fs/promises`. */
export const interruptedAtCall = (path: string, words: ReadonlyArray<string>, call: Call) =>
  interruptedBy(path, words, (interrupt) => watchCalls(call, interrupt))

/** Interrupts a command at a message to or from one of its threads; tells whether there were that many. */
export const interruptedAtMessage = (path: string, words: ReadonlyArray<string>, wanted: number) =>
  Effect.gen(function* () {
    let count = 0
    const result = yield* interruptedBy(path, words, (interrupt) => {
      const { emit, postMessage } = Worker.prototype
      const note = () => {
        if (++count === wanted) interrupt()
      }
      Worker.prototype.emit = function (event: string, ...values: ReadonlyArray<unknown>) {
        if (event === "message") note()
        return emit.call(this, event, ...values)
      }
      Worker.prototype.postMessage = function (...values: Parameters<typeof postMessage>) {
        postMessage.apply(this, values)
        note()
      }
      return () => {
        Object.assign(Worker.prototype, { emit, postMessage })
      }
    })
    return { ...result, isInterrupted: count >= wanted }
  })

/** Expects a command to keep a file that appears just before it gives its own file that name. */
export const expectKept = (command: string, file: string) =>
  Effect.gen(function* () {
    const path = yield* folder
    yield* addPets(path, lines(3))
    yield* inFolder(path)
    yield* Effect.acquireRelease(
      Effect.sync(() => watchCalls("link", () => writeFileSync(join(path, file), "mine"))),
      (unwatch) => Effect.sync(unwatch)
    )
    const { code, stderr, stdout } = yield* run(path, [command, file])
    expect(stderr).toBe(`${file} exists already: choose another name\n`)
    expect([code, stdout]).toEqual([1, ""])
    expect(readFileSync(join(path, file), "utf8")).toBe("mine")
    expect(readdirSync(path).sort()).toEqual([file, "data"].sort())
  })
