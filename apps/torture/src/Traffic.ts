/** Many callers at once, after whom the service must be as it was. */
import * as Effect from "effect/Effect"
import type { Outcome } from "./Experiment.ts"
import { Counts } from "./Figures.ts"
import * as Process from "./Process.ts"
import * as Random from "./Random.ts"
import * as Service from "./Service.ts"

/** What callers note. */
export interface Notes {
  /** The status of an answer. */
  readonly count: (status: number) => void
  /** What was wrong, of each kind once, and the bytes that were sent. */
  readonly report: (what: string, bytes: Buffer, detail?: string) => void
}

/** Who calls. */
export interface Options {
  readonly service: Service.Service
  readonly random: Random.Random
  readonly callers: number
  /** One caller, with random numbers of its own. */
  readonly caller: (own: Random.Random, notes: Notes, nth: number) => Promise<void>
  /** Whether a quarter of the work is done: memory is compared with that of this time. */
  readonly isWarm: () => boolean
}

const maxGrowth = 96

/** Lets all callers finish. */
export const run = (options: Options): Effect.Effect<Outcome> =>
  Effect.gen(function* () {
    const { caller, callers, isWarm, random, service } = options
    const statuses = new Counts<number>()
    const problems = new Map<string, string>()
    const notes: Notes = {
      count: statuses.add,
      report: (what, bytes, detail = "") => {
        const sent = JSON.stringify(bytes.toString("latin1").slice(0, 1000))
        if (problems.size < 20 && !problems.has(what))
          problems.set(what, `${what}${detail}, to ${sent}`)
      }
    }
    const seeds = Array.from({ length: callers }, (_, nth) =>
      Random.make(random.below(2 ** 31), `caller ${nth}`)
    )
    const work = Promise.all(seeds.map((own, nth) => caller(own, notes, nth)))
    const memory = yield* Process.memory(service, isWarm)
    yield* Effect.promise(() => work)
    const growth = Math.round(Process.megabytes(service) - memory)
    const isAlive = yield* Effect.promise(() => Service.isReady(service.port))
    return {
      figures: {
        answers: statuses.total(),
        statuses: statuses.size,
        "memory grew by MB": growth
      },
      wrong: [
        ...problems.values(),
        ...([...statuses.keys()].some((status) => status >= 500) ? [service.output()] : []),
        ...(growth > maxGrowth ? [`memory grew by ${growth} MB`] : []),
        ...(isAlive ? [] : ["the service did not answer afterwards"])
      ]
    }
  })
