/** A service with several workers. */
import { Effect } from "effect"
import { measuredBy, until } from "./Observed.ts"
import { type Program, start } from "./Process.ts"

/** The process of a worker. */
export interface Process {
  readonly worker: number
  readonly pid: number
}

const processOf = (line: string): Process => JSON.parse(line)

/** Waits until this many processes of workers were ready, and returns them in the order in which they were. */
export const ready = (program: Program, count: number) =>
  Effect.promise(async () => (await program.untilAll(/is ready/, count)).map(processOf))

/** A running service with metrics, once all workers are ready. */
export const workers = (count: number, environment: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function* () {
    const service = yield* measuredBy(start)({ PETSTORE_WORKERS: String(count), ...environment })
    const processes = yield* ready(service.program, count)
    return { ...service, processes }
  })

/** Whether there is a process with this id. */
const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Sends a signal to those that are still running. */
export const signal = (processes: ReadonlyArray<Process>, name: NodeJS.Signals) => {
  for (const { pid } of processes) if (isRunning(pid)) process.kill(pid, name)
}

/** Waits until none of these processes is left. */
export const allGone = (processes: ReadonlyArray<Process>) =>
  until(
    Effect.sync(() => processes.filter(({ pid }) => isRunning(pid))),
    (running) => running.length === 0
  )
