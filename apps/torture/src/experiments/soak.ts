/** Load for a long time. */
import { statSync } from "node:fs"
import * as Effect from "effect/Effect"
import type { Experiment } from "../Experiment.ts"
import { Counts, quantile } from "../Figures.ts"
import * as Load from "../Load.ts"
import * as Process from "../Process.ts"
import * as Service from "../Service.ts"
import * as Storage from "../Storage.ts"
import * as Wait from "../Wait.ts"

const samples = 40
const callers = 16

/** What is measured now and then, and how much more of it there may be in the last quarter than in the second. */
const limits = {
  "memory in MB": { ratio: 1.2, more: 16 },
  descriptors: { ratio: 1.2, more: 16 },
  // SQLite begins again at the start of the log after some megabytes.
  "log in MB": { ratio: 1.5, more: 4 },
  "p99 in ms": { ratio: 5, more: 50 }
}
type Measure = keyof typeof limits

const shown = (value: number) => value.toFixed(value < 10 ? 1 : 0)

/** Mixed load at a third of what the service can do. */
export const soak: Experiment = {
  name: "soak",
  promise: "under constant load memory, descriptors, the write-ahead log and p99 stop growing",
  attack:
    "reads and creates at a third of the measured capacity; the last quarter of the time is compared with the second",
  databases: ["sqlite"],
  needs: ["Linux"],
  seconds: 12,
  least: { requests: 200 },
  control: "a megabyte is kept for a request, twenty times a second",
  run: ({ isControl, random, seconds, show }) =>
    Effect.gen(function* () {
      const { file, url } = Storage.sqlite(yield* Storage.folder)
      // A connection that the service closes while a request is under way to it looks like a failure.
      const env = { PETSTORE_KEEP_ALIVE_SECONDS: "600" }
      const service = yield* Service.started({ url, env, sabotage: isControl ? "leak" : undefined })
      const { port } = service
      const failures = new Counts<number>()
      let answered = 0
      let added = 0
      let times: Array<number> = []
      const call = async () => {
        const began = performance.now()
        const kind = random.next()
        const path = kind < 0.7 ? `/v1/pets?limit=${1 + random.below(100)}` : "/v1/pets/1"
        const { status } = await (kind < 0.2
          ? Load.add(port, { name: `Pet ${++added}`, categoryId: added })
          : Load.get(port, path))
        times.push(performance.now() - began)
        answered += 1
        if (status !== 200 && status !== 201) failures.add(status)
      }
      yield* Effect.promise(() => Load.add(port, { name: "first", categoryId: 1 }))

      /** Calls all the time, or this many times a second, until this holds. */
      const run = async (isOver: () => boolean, rate = Number.POSITIVE_INFINITY) => {
        const caller = async () => {
          while (!isOver()) {
            const now = performance.now()
            await call()
            const pause = now + (callers * 1000) / rate - performance.now()
            if (pause > 0) await Wait.pause(pause)
          }
        }
        await Promise.all(Array.from({ length: callers }, caller))
      }
      const warmUpMillis = Math.min(10, seconds / 6) * 1000
      const warmUntil = performance.now() + warmUpMillis
      yield* Effect.promise(() => run(() => performance.now() > warmUntil))
      const capacity = (answered * 1000) / warmUpMillis
      yield* show(`capacity: ${Math.round(capacity)} requests per second`)

      const series: Array<Record<Measure, number>> = []
      const totalMillis = seconds * 1000 - warmUpMillis
      answered = 0
      times = []
      let isOver = false
      const began = performance.now()
      const load = run(() => isOver, capacity / 3)
      for (let nth = 0; nth < samples; nth++) {
        yield* Effect.sleep(totalMillis / samples)
        series.push({
          "memory in MB": Process.megabytes(service),
          descriptors: Process.descriptors(service),
          "log in MB": statSync(`${file}-wal`).size / 1_048_576,
          "p99 in ms": quantile(times, 0.99) || Number.POSITIVE_INFINITY
        })
        times = []
      }
      isOver = true
      yield* Effect.promise(() => load)
      const perSecond = (answered * 1000) / (performance.now() - began)
      const quarter = (measure: Measure, nth: number) => {
        const part = series.slice((nth * samples) / 4, ((nth + 1) * samples) / 4)
        const values = part.map((sample) => sample[measure])
        return quantile(values, 0.5)
      }
      const rows = (Object.keys(limits) as Array<Measure>).map((measure) => {
        const [second, last] = [quarter(measure, 1), quarter(measure, 3)]
        const { more, ratio } = limits[measure]
        const change = `${shown(second)}, then ${shown(last)}`
        return { measure, change, isFlat: last <= second * ratio + more }
      })
      return {
        figures: {
          requests: answered,
          "per second": Math.round(perSecond),
          ...Object.fromEntries(rows.map(({ change, measure }) => [measure, change]))
        },
        wrong: [
          ...rows
            .filter(({ isFlat }) => !isFlat)
            .map((row) => `${row.measure} grew: ${row.change}`),
          ...[...failures].map(([status, many]) => `${many} requests were answered with ${status}`)
        ]
      }
    })
}
