/** Runs programs. */
import { type ChildProcessByStdio, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import type { Readable } from "node:stream"

/** Where and how a program runs. */
export interface Place {
  readonly cwd: string
  readonly env?: NodeJS.ProcessEnv
  /** Ends the program, as the signal of a test does when the test times out. */
  readonly signal?: AbortSignal
}

const maxBuffer = 64 * 1024 * 1024

/** Runs a program to its end and resolves to what it printed. Rejects with all of its output if it fails. */
export const run = (file: string, args: ReadonlyArray<string>, place: Place): Promise<string> =>
  new Promise((resolve, reject) => {
    execFile(file, args, { ...place, maxBuffer }, (error, stdout) =>
      error === null ? resolve(stdout) : reject(new Error(`${error.message}\n${stdout}`))
    )
  })

/** Takes what is to be done in the end, as `onTestFinished` does. */
export type AtEnd = (stop: () => Promise<void>) => void

/** Starts a program that runs until the end, with its child processes. */
export const start = (
  file: string,
  args: ReadonlyArray<string>,
  place: Place,
  atEnd: AtEnd
): ChildProcessByStdio<null, Readable, Readable> => {
  // In a group of its own, so that its child processes end with it.
  const child = spawn(file, args, { ...place, stdio: ["ignore", "pipe", "pipe"], detached: true })
  const ended = once(child, "close").catch(() => {})
  atEnd(async () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL")
    await ended
  })
  return child
}

/** Starts a program that serves until the end, and resolves to the address that it prints. */
export const serve = (
  file: string,
  args: ReadonlyArray<string>,
  place: Place,
  atEnd: AtEnd
): Promise<string> => addressOf(start(file, args, place, atEnd), `${file} ${args.join(" ")}`)

/** The address that a program prints. */
export const addressOf = (child: ReturnType<typeof start>, name: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let output = ""
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text
        const [address] = /http:\/\/127\.0\.0\.1:\d+(?=\s)/.exec(output) ?? []
        if (address !== undefined) resolve(address)
      })
    child.once("error", reject)
    child.once("close", () => reject(new Error(`${name} ended: ${output}`)))
  })
