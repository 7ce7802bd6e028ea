/** More requests than can be served. */
import * as Effect from "effect/Effect"
import type { Experiment } from "../Experiment.ts"
import { quantile } from "../Figures.ts"
import * as Load from "../Load.ts"
import * as Service from "../Service.ts"
import * as Storage from "../Storage.ts"
import * as Wait from "../Wait.ts"

/** A caller has no use for an answer that takes this many times the usual time at full capacity. */
const patienceFactor = 3
const inFlight = 32
const tickMillis = 10
/** The answers of a batch arrive within this time; batches are further apart. */
const batchMillis = 100
/** Answers count from then on in each phase, in milliseconds. */
const settling = 500
const minGoodput = 0.9

/** Three times the capacity, in an open loop: callers do not wait for each other. */
export const overload: Experiment = {
  name: "overload",
  promise:
    "at three times its capacity the service still does at least 90 % of its work within three times the usual time, and recovers in six times the usual time",
  attack:
    "creates in an open loop at three times the rate of a closed one; inserts of 10 ms are the bottleneck, and 32 requests may be in flight",
  databases: ["sqlite"],
  needs: ["Linux"],
  seconds: 11,
  least: { "capacity per second": 10, shed: 10 },
  control: "requests are not shed: any number may be in flight",
  run: (trial) =>
    // A machine that others slow down says nothing now and then; a fault of the service is there every time.
    Effect.repeat(Effect.scoped(attempt(trial)), {
      until: ({ wrong }) => trial.isControl === wrong.length > 0,
      times: 2
    })
}

const attempt = ({ isControl, seconds, show }: Parameters<Experiment["run"]>[0]) =>
  Effect.gen(function* () {
    const { url } = Storage.sqlite(yield* Storage.folderInMemory)
    const env = { PETSTORE_MAX_IN_FLIGHT: isControl ? "1000000" : `${inFlight}` }
    const { port } = yield* Service.started({ url, env, sabotage: "slow-insert" })
    const phaseMillis = (seconds * 1000) / 4
    let count = 0
    let refused = 0
    /** In milliseconds. It depends on what else the machine does, so it is measured. */
    let patience = Number.POSITIVE_INFINITY
    const answered: Array<{ readonly at: number; readonly millis: number }> = []
    /** Whether a pet was added in time. */
    const add = async () => {
      const began = performance.now()
      const { status } = await Load.add(port, { name: `Pet ${++count}`, categoryId: count })
      const at = performance.now()
      const isGood = status === 201 && at - began <= patience
      if (isGood) answered.push({ at, millis: at - began })
      if (status === 503) refused += 1
      return isGood
    }
    /**
     * How many pets were added per second since this time, after a while. Pets of a batch are answered together, so it
     * counts from a batch to the last one, unless none is left.
     */
    const rateSince = (began: number) => {
      const counted = answered.filter(({ at }) => at >= began + settling)
      const first = counted[0]?.at ?? 0
      const last = counted.at(-1)?.at ?? 0
      const now = performance.now()
      const many = counted.filter(({ at }) => at > first + batchMillis).length
      return (many * 1000) / ((now - last < patience ? last : now) - first)
    }

    const measure = Effect.promise(async () => {
      const began = performance.now()
      const caller = async () => {
        while (performance.now() < began + phaseMillis) await add()
      }
      await Promise.all(Array.from({ length: inFlight }, caller))
      return rateSince(began)
    })
    const before = yield* measure
    const usual = quantile(
      answered.map(({ millis }) => millis),
      0.5
    )
    patience = patienceFactor * usual
    yield* show(`capacity: ${Math.round(before)} pets per second, in ${Math.round(usual)} ms`)

    refused = 0
    const began = performance.now()
    let sent = 0
    yield* Effect.promise(async () => {
      while (performance.now() < began + phaseMillis) {
        for (const due = ((performance.now() - began) * 3 * before) / 1000; sent < due; sent++)
          void add()
        await Wait.pause(tickMillis)
      }
    })
    const goodput = rateSince(began)
    const times = answered.filter(({ at }) => at >= began).map(({ millis }) => millis)
    const shed = refused
    yield* show(`overload: ${sent} sent, ${Math.round(goodput)} pets per second, ${shed} refused`)

    const ended = performance.now()
    const recovery = yield* Effect.promise(async () => {
      // The time of the last failure; it must be over early enough.
      let last = ended
      while (performance.now() < ended + phaseMillis) {
        if (!(await add())) {
          last = performance.now()
          await Wait.pause(tickMillis)
        }
      }
      return last - ended
    })
    // What else the machine does changes, and its capacity with it.
    const capacity = Math.min(before, yield* measure)
    const share = goodput / capacity
    return {
      figures: {
        "capacity per second": Math.round(capacity),
        "sent per second": Math.round((sent * 1000) / phaseMillis),
        shed,
        goodput: `${Math.round(share * 100)} %`,
        "p99 of those in ms": Math.round(quantile(times, 0.99)),
        "recovery in ms": Math.round(recovery)
      },
      wrong: [
        ...(share >= minGoodput
          ? []
          : [`of ${Math.round(capacity)} pets per second, ${Math.round(goodput)} were left`]),
        ...(recovery <= 2 * patience ? [] : [`it took ${Math.round(recovery)} ms to recover`])
      ]
    }
  })
