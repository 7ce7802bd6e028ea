/** How soon a server answers after its process starts, and what memory it then rests at. */
import { setTimeout as sleep } from "node:timers/promises"
import { type Running, residentMegabytes, start } from "./Process.ts"
import type { Progress } from "./Progress.ts"
import type { Server } from "./Servers.ts"
import { median } from "./Statistics.ts"

export interface Start {
  readonly server: string
  readonly startMillis: number
  readonly idleMegabytes: number
}

const restMillis = 500

/** Starts every server a few times, in turns, and leaves the last of each running. */
export const run = async (
  progress: Progress,
  servers: ReadonlyArray<Server>,
  databases: ReadonlyMap<string, string>,
  times: number
): Promise<{ readonly starts: ReadonlyArray<Start>; readonly running: ReadonlyArray<Running> }> => {
  const seen = servers.map((server) => ({
    server,
    millis: [] as number[],
    megabytes: [] as number[]
  }))
  const running: Array<Running> = []
  for (let time = 1; time <= times; time++) {
    for (const { server, millis, megabytes } of seen) {
      progress.step(`start ${time} of ${times}`, server.title)
      const started = await start(server, databases.get(server.name) ?? "")
      await sleep(restMillis)
      millis.push(started.startMillis)
      megabytes.push(residentMegabytes(started.pid))
      if (time === times) running.push(started)
      else await started.stop()
    }
  }
  const starts = seen.map(({ server, millis, megabytes }) => ({
    server: server.name,
    startMillis: median(millis),
    idleMegabytes: median(megabytes)
  }))
  return { starts, running }
}
