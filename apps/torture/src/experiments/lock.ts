/** Another process holds the lock of the file. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Experiment } from "../Experiment.ts"
import { quantile } from "../Figures.ts"
import * as Load from "../Load.ts"
import * as Service from "../Service.ts"
import * as Sqlite from "../Sqlite.ts"
import * as Storage from "../Storage.ts"

const shortLock = 3
const longLock = 10
const maxMillis = 100

export const lock: Experiment = {
  name: "lock",
  attack: `another process holds the lock of the file for ${longLock} s (${shortLock} s in short runs) under 32 writers`,
  databases: ["sqlite"],
  seconds: 2 * shortLock,
  retries: 2,
  least: { "reads meanwhile": 50 },
  controls: [{ broken: "the event loop waits for the lock", sabotage: "loop-lock" }],
  run: (trial) =>
    Effect.gen(function* () {
      const { sabotage, seconds, wrong } = trial
      const { file, url } = Storage.sqlite(yield* Storage.folder)
      const service = yield* Service.started({ url, sabotage })
      const load = yield* Load.make({ ports: [service.port] })
      const length = seconds < 2 * longLock ? shortLock : longLock
      /** How long each read took while this was held. */
      const readsDuring = (held: Effect.Effect<void, never, Scope.Scope>) =>
        Effect.gen(function* () {
          const first = load.history.length
          yield* Effect.scoped(Effect.zipRight(held, Effect.sleep(length * 1000)))
          return load.history
            .slice(first)
            .flatMap((entry) => (entry.kind === "list" ? [entry.end - entry.begin] : []))
        })
      // The first requests take longer than any later ones.
      yield* Load.untilAdded(load, 200)
      for (let nth = Math.max(1, Math.floor(seconds / (2 * length))); nth > 0; nth--) {
        // A baseline in the same run: what is slow without the lock is not slow because of it.
        const free = yield* readsDuring(Effect.void)
        const locked = yield* readsDuring(Sqlite.execute(file, "BEGIN IMMEDIATE"))
        if (!(yield* Load.untilAdded(load, 1))) wrong("nothing is added after the lock")
        const [before, during] = [quantile(free, 0.99), quantile(locked, 0.99)]
        const times = `${during.toFixed(1)}, and ${before.toFixed(1)} without the lock`
        trial.count("reads meanwhile", locked.length)
        trial.note({ "p99 of reads in ms": times })
        if (during > Math.max(maxMillis, 2 * before)) wrong(`the p99 of reads in ms is ${times}`)
        if (locked.length < free.length / 3)
          wrong(`${locked.length} reads were answered, and ${free.length} without the lock`)
      }
      trial.note({ "answered with 503": load.statuses.of(503) })
      yield* Load.ended(trial, load, service.port)
    })
}
