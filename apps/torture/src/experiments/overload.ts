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
  attack:
    "creates in an open loop at three times the rate of a closed one; an insert takes 10 ms, and 32 requests may be in flight",
  databases: ["sqlite"],
  needs: ["Linux"],
  seconds: 11,
  retries: 2,
  least: { "capacity per second": 10, shed: 10 },
  controls: [{ broken: "requests are not shed: any number may be in flight" }],
  run: ({ count, isControl, note, seconds, wrong }) =>
    Effect.gen(function* () {
      const { url } = Storage.sqlite(yield* Storage.folderInMemory)
      const env = { PETSTORE_MAX_IN_FLIGHT: isControl ? "1000000" : `${inFlight}` }
      const { port } = yield* Service.started({ url, env, sabotage: "slow-insert" })
      const phaseMillis = (seconds * 1000) / 3
      let names = 0
      let refused = 0
      /** In milliseconds. It depends on what else the machine does, so it is measured. */
      let patience = Number.POSITIVE_INFINITY
      const answered: Array<{ readonly at: number; readonly millis: number }> = []
      /** Whether a pet was added in time. */
      const add = async () => {
        const began = performance.now()
        const { status } = await Load.add(port, { name: `Pet ${++names}`, categoryId: names })
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
      const capacity = async () => {
        const began = performance.now()
        const caller = async () => {
          while (performance.now() < began + phaseMillis) await add()
        }
        await Promise.all(Array.from({ length: inFlight }, caller))
        return rateSince(began)
      }
      /** Sends this many requests per second: how many were answered in time. */
      const goodputAt = async (rate: number) => {
        const began = performance.now()
        for (let sent = 0; performance.now() < began + phaseMillis; await Wait.pause(tickMillis)) {
          for (const due = ((performance.now() - began) * rate) / 1000; sent < due; sent++)
            void add()
        }
        return rateSince(began)
      }
      /** How long requests still fail. */
      const recovery = async () => {
        const began = performance.now()
        let last = began
        while (performance.now() < began + phaseMillis) {
          if (await add()) continue
          last = performance.now()
          await Wait.pause(tickMillis)
        }
        return last - began
      }

      const possible = yield* Effect.promise(capacity)
      const times = answered.map(({ millis }) => millis)
      patience = patienceFactor * quantile(times, 0.5)
      refused = 0
      const goodput = yield* Effect.promise(() => goodputAt(3 * possible))
      count("shed", refused)
      const recovered = Math.round(yield* Effect.promise(recovery))
      count("capacity per second", Math.round(possible))
      const share = goodput / possible
      note({ goodput: `${Math.round(share * 100)} %`, "recovery in ms": recovered })
      if (share < minGoodput)
        wrong(`of ${Math.round(possible)} pets per second, ${Math.round(goodput)} were left`)
      if (recovered > 2 * patience) wrong(`it took ${recovered} ms to recover`)
    })
}
