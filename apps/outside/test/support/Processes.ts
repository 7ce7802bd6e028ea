/** Runs programs. */
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"

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

/** Starts a program that serves until the end, and prints its address. */
export const start = (file: string, args: ReadonlyArray<string>, place: Place, atEnd: AtEnd) => {
  // In a group of its own, so that its child processes end with it.
  const child = spawn(file, args, { ...place, stdio: ["ignore", "pipe", "pipe"], detached: true })
  const code = once(child, "close").then(([code]) => code)
  atEnd(async () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL")
    await code.catch(() => {})
  })
  const url = new Promise<string>((resolve, reject) => {
    let output = ""
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text
        const [address] = /http:\/\/127\.0\.0\.1:\d+(?=\s)/.exec(output) ?? []
        if (address !== undefined) resolve(address)
      })
    const fail = () => reject(new Error(`${file} ${args.join(" ")} ended: ${output}`))
    code.then(fail, reject)
  })
  return { child, url, code }
}

/** The address of a program that serves until the end. */
export const serve = (...program: Parameters<typeof start>): Promise<string> =>
  start(...program).url
