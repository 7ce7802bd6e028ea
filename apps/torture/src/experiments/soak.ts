/** Load for a long time. */
import { statSync } from "node:fs"
import * as Effect from "effect/Effect"
import type { Experiment } from "../Experiment.ts"
import { quantile } from "../Figures.ts"
import * as Load from "../Load.ts"
import * as Process from "../Process.ts"
import * as Service from "../Service.ts"
import * as Storage from "../Storage.ts"
import * as Wait from "../Wait.ts"

const samplesPerQuarter = 10
const callers = 16
const pauseMillis = 30

/** What is measured, and how much more of it there may be in the last quarter than in the second. */
const limits = {
  "memory in MB": { ratio: 1.2, more: 16 },
  descriptors: { ratio: 1.2, more: 16 },
  // SQLite begins again at the start of the log after some megabytes.
  "log in MB": { ratio: 1.5, more: 4 },
  "p99 in ms": { ratio: 5, more: 50 }
}
type Measure = keyof typeof limits

export const soak: Experiment = {
  name: "soak",
  attack:
    "16 callers all the time; memory, descriptors, log and p99 of the last quarter are compared with those of the second",
  databases: ["sqlite"],
  needs: ["Linux"],
  seconds: 12,
  least: { answered: 200 },
  control: { broken: "a megabyte is kept for a request, twenty times a second", sabotage: "leak" },
  run: ({ count, note, random, sabotage, seconds, wrong }) =>
    Effect.gen(function* () {
      const { file, url } = Storage.sqlite(yield* Storage.folder)
      // A connection that the service closes while a request is under way to it looks like a failure.
      const env = { PETSTORE_KEEP_ALIVE_SECONDS: "600" }
      const service = yield* Service.started({ url, env, sabotage })
      const { port } = service
      let times: Array<number> = []
      const call = async () => {
        const began = performance.now()
        const { status } = await (random.next() < 0.2
          ? Load.add(port, { name: "Rex", categoryId: 1 })
          : Load.get(port, `/v1/pets?limit=${1 + random.below(100)}`))
        times.push(performance.now() - began)
        if (status === 200 || status === 201) count("answered")
        else wrong(`a request was answered with ${status}`)
        await Wait.pause(pauseMillis)
      }
      const stop = yield* Load.repeated(Array.from({ length: callers }, () => call))
      const quarter = Effect.gen(function* () {
        const samples: Array<Record<Measure, number>> = []
        for (let nth = 0; nth < samplesPerQuarter; nth++) {
          yield* Effect.sleep((seconds * 250) / samplesPerQuarter)
          samples.push({
            "memory in MB": Process.megabytes(service),
            descriptors: Process.descriptors(service),
            "log in MB": statSync(`${file}-wal`).size / 1_048_576,
            "p99 in ms": quantile(times, 0.99)
          })
          times = []
        }
        return samples
      })
      const [, second = [], , last = []] = yield* Effect.replicateEffect(quarter, 4)
      for (const measure of Object.keys(limits) as Array<Measure>) {
        const median = (samples: typeof last) =>
          quantile(
            samples.map((sample) => sample[measure]),
            0.5
          )
        const change = `${median(second).toFixed(1)}, then ${median(last).toFixed(1)}`
        note({ [measure]: change })
        const { more, ratio } = limits[measure]
        if (median(last) > median(second) * ratio + more) wrong(`${measure} grew: ${change}`)
      }
      yield* stop
    })
}
