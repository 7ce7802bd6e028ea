/** Many callers at once, after whom the service must be as it was. */
import * as Effect from "effect/Effect"
import * as Process from "./Process.ts"
import * as Random from "./Random.ts"
import * as Service from "./Service.ts"

/** Who calls. */
export interface Options {
  readonly service: Service.Service
  readonly random: Random.Random
  readonly callers: number
  /** One caller, with random numbers of its own. */
  readonly caller: (own: Random.Random, nth: number) => Promise<void>
  /** Whether a quarter of the work is done: memory is compared with that of this time. */
  readonly isWarm: () => boolean
}

const maxGrowth = 96

/** Lets all callers finish. Returns by how many megabytes memory grew, and what is wrong. */
export const run = ({
  caller,
  callers,
  isWarm,
  random,
  service
}: Options): Effect.Effect<{ readonly growth: number; readonly wrong: ReadonlyArray<string> }> =>
  Effect.gen(function* () {
    const seeds = Array.from({ length: callers }, (_, nth) =>
      Random.make(random.below(2 ** 31), `caller ${nth}`)
    )
    const work = Promise.all(seeds.map(caller))
    const memory = yield* Process.memory(service, isWarm)
    yield* Effect.promise(() => work)
    const growth = Math.round(Process.residentMegabytes(service) - memory)
    const isAlive = yield* Effect.promise(() => Service.isReady(service.port))
    return {
      growth,
      wrong: [
        ...(growth > maxGrowth ? [`memory grew by ${growth} MB`] : []),
        ...(isAlive ? [] : ["the service did not answer afterwards"])
      ]
    }
  })
