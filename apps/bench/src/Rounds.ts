/** All servers in turn, round after round, so that what disturbs the machine disturbs all of them. */
import type { Generator } from "./Load.ts"
import { cpuMicros, type Running } from "./Process.ts"
import type { Progress } from "./Progress.ts"
import { floor, ours } from "./Servers.ts"
import { create, type Work } from "./Works.ts"

/** What one server did in one burst. */
export interface Sample {
  readonly work: string
  readonly server: string
  readonly round: number
  readonly requestsPerSecond: number
  readonly cpuMicros: number
  readonly p99Millis: number
}

/** Aims one burst at one server and watches what it costs the server. */
export const measure = async (
  generator: Generator,
  { origin, pid, server }: Running,
  work: Work,
  animals: number,
  round: number
): Promise<Sample> => {
  const before = cpuMicros(pid)
  const burst = await generator.burst({ origin, work, animals, seed: Math.abs(round) })
  const cpu = cpuMicros(pid) - before
  if (burst.failures > 0 || burst.requests === 0) {
    throw new Error(
      `${server.title} failed ${burst.failures} of ${burst.requests} requests of "${work.title}"`
    )
  }
  return {
    work: work.id,
    server: server.name,
    round,
    requestsPerSecond: burst.requests / burst.seconds,
    cpuMicros: cpu / burst.requests,
    p99Millis: burst.p99Millis
  }
}

/**
 * Rounds that are thrown away, for the compilers of the servers; numbered up to 0. The first work
 * finds processes that have just started.
 */
export const warmUps = (first: boolean): number => (first ? 3 : 2)

/** Who takes part in a work. */
const entrants = (servers: ReadonlyArray<Running>, { id, peers = [] }: Work) =>
  servers.filter(({ server: { name, onlyWork = id } }) =>
    peers.length === 0 ? onlyWork === id : name === ours || peers.includes(name)
  )

export const run = async (
  generator: Generator,
  progress: Progress,
  servers: ReadonlyArray<Running>,
  works: ReadonlyArray<Work>,
  rounds: number,
  animals: number
): Promise<ReadonlyArray<Sample>> => {
  const samples: Array<Sample> = []
  for (const work of works) {
    const entered = entrants(servers, work)
    for (const running of work.afterWrites ? entered : []) {
      progress.step(`${work.title}: creates before it`, running.server.title)
      if (running.server.name !== floor) await measure(generator, running, create, animals, 0)
    }
    for (let round = 1 - warmUps(work === works[0]); round <= rounds; round++) {
      for (const running of inOrder(entered, round)) {
        const part = round < 1 ? "warm-up" : `round ${round} of ${rounds}`
        progress.step(`${work.title}: ${part}`, running.server.title)
        const sample = await measure(generator, running, work, animals, round)
        if (round > 0) samples.push(sample)
      }
    }
  }
  return samples
}

/** Another order each round, so that no server always comes first or always after the same one. */
const inOrder = (servers: ReadonlyArray<Running>, round: number): ReadonlyArray<Running> => {
  const first = Math.abs(round) % servers.length
  const turned = [...servers.slice(first), ...servers.slice(0, first)]
  return round % 2 === 0 ? turned : turned.toReversed()
}

/** The middle of what was seen, which one disturbed round cannot move. */
export const median = (values: ReadonlyArray<number>): number => {
  if (values.length === 0) return Number.NaN
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  const lower = sorted[middle - 1] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (lower + upper) / 2
}
