/** The service with two processes on one SQLite file, compared with one. */
import { setTimeout as sleep } from "node:timers/promises"
import type { Generator } from "./Load.ts"
import { childrenOf, type Running, start } from "./Process.ts"
import type { Progress } from "./Progress.ts"
import type { Sampled } from "./Results.ts"
import * as Rounds from "./Rounds.ts"
import { seed } from "./Seed.ts"
import { type Server, withEnvironment } from "./Servers.ts"
import { verify } from "./Verify.ts"
import { works as allWorks } from "./Works.ts"

const workers = 2
const patienceMillis = 20_000

/** The works, without their peers. */
export const works = ["create", "list20", "get"].flatMap((id) =>
  allWorks.filter((work) => work.id === id).map(({ peers: _, ...work }) => work)
)

/** How many steps the progress line will show. */
export const steps = (rounds: number): number => works.length * 2 * (rounds + 3)

/** Ours is the service with several workers; its peer is the service with one. */
export const servers = (service: Server): readonly [Server, Server] => [
  withWorkers(service, workers),
  { ...withWorkers(service, 1), name: "one-worker" }
]

const withWorkers = (service: Server, count: number) =>
  withEnvironment(service, `${count} worker${count === 1 ? "" : "s"}`, () => ({
    PETSTORE_WORKERS: String(count)
  }))

export const run = async (
  generator: Generator,
  progress: Progress,
  service: Server,
  rounds: number,
  animals: number
): Promise<Sampled> => {
  const running: Array<Running> = []
  try {
    for (const server of servers(service)) {
      running.push(await start(server, await seed(service, `workers-${server.name}`, animals)))
    }
    await untilAllRun(running[0])
    for (const each of running) await verify(each)
    return { samples: await Rounds.run(generator, progress, running, works, rounds, animals) }
  } finally {
    await Promise.all(running.map(({ stop }) => stop()))
  }
}

/** The first worker answers before the others start. */
const untilAllRun = async (running: Running | undefined) => {
  const last = performance.now() + patienceMillis
  while (running !== undefined && childrenOf(running.pid).length < workers) {
    if (performance.now() > last) throw new Error(`the service does not start ${workers} workers`)
    await sleep(50)
  }
}
