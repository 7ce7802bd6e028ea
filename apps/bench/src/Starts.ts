/** How soon a server answers after its process starts, what memory it then rests at, and how long a short command takes. */
import { setTimeout as sleep } from "node:timers/promises"
import { type Running, residentMegabytes, runToEnd, start } from "./Process.ts"
import type { Progress } from "./Progress.ts"
import { median } from "./Rounds.ts"
import { inMemory, ours, type Server } from "./Servers.ts"

export interface Start {
  readonly server: string
  readonly title: string
  readonly startMillis: number
  readonly idleMegabytes: number
}

/** What was started, and what runs. */
export interface Starts {
  readonly starts: ReadonlyArray<Start>
  /** How long a command takes that reads a row. */
  readonly commandMillis: number
  readonly running: ReadonlyArray<Running>
}

const restMillis = 500
const command = ["keys", "list"]

/** Starts every server a few times, in turns, and leaves the last of each running, but not the service in memory. */
export const run = async (
  progress: Progress,
  servers: ReadonlyArray<Server>,
  databases: ReadonlyMap<string, string>,
  times: number
): Promise<Starts> => {
  const own = servers.filter(({ name }) => name === ours)
  const seen = [...servers, ...own.map(inMemory)].map((server) => ({
    server,
    millis: [] as number[],
    megabytes: [] as number[]
  }))
  const running: Array<Running> = []
  const commands: Array<number> = []
  for (let time = 1; time <= times; time++) {
    for (const { server, millis, megabytes } of seen) {
      progress.step(`start ${time} of ${times}`, server.title)
      const started = await start(server, databases.get(server.name) ?? "")
      await sleep(restMillis)
      millis.push(started.startMillis)
      megabytes.push(residentMegabytes(started.pid))
      if (time === times && servers.includes(server)) running.push(started)
      else await started.stop()
    }
    for (const service of own)
      commands.push((await runToEnd(service, databases.get(ours) ?? "", command)).millis)
  }
  const starts = seen.map(({ server, millis, megabytes }) => ({
    server: server.name,
    title: server.title,
    startMillis: median(millis),
    idleMegabytes: median(megabytes)
  }))
  return { starts, commandMillis: median(commands), running }
}
