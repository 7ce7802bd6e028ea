/** Another process holds the lock of the file. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Experiment } from "../Experiment.ts"
import * as Load from "../Load.ts"
import * as Service from "../Service.ts"
import * as Sqlite from "../Sqlite.ts"
import * as Storage from "../Storage.ts"
import * as Wait from "../Wait.ts"

const shortLock = 3
const longLock = 10
const maxHeldMillis = 50

export const lock: Experiment = {
  name: "lock",
  attack: `another process holds the lock of the file for ${longLock} s (${shortLock} s in short runs) under 32 writers`,
  databases: ["sqlite"],
  needs: ["Linux"],
  seconds: 2 * shortLock,
  retries: 2,
  least: { "lists meanwhile": 50 },
  controls: [{ broken: "the event loop waits for the lock", sabotage: "loop-lock" }],
  run: (trial) =>
    Effect.gen(function* () {
      const { seconds, wrong } = trial
      const { file, url } = Storage.sqlite(yield* Storage.folder)
      const sabotage = trial.sabotage ?? "loop-probe"
      const service = yield* Service.started({ url, sabotage })
      const load = yield* Load.make({ ports: [service.port], pauseMillis: 5 })
      const length = seconds < 2 * longLock ? shortLock : longLock
      /** How many lists are answered while this is held, and for how long the event loop is held at most. */
      const measured = (held: Effect.Effect<void, never, Scope.Scope>) =>
        Effect.gen(function* () {
          yield* heldOf(service)
          const lists = load.statuses.of(200)
          yield* Effect.scoped(Effect.zipRight(held, Effect.sleep(length * 1000)))
          return { held: yield* heldOf(service), lists: load.statuses.of(200) - lists }
        })
      // The first requests take longer than any later ones.
      yield* Load.untilAdded(load, 200)
      for (let nth = Math.max(1, Math.floor(seconds / (2 * length))); nth > 0; nth--) {
        // A baseline in the same run: what is held without the lock is not caused by it.
        const free = yield* measured(Effect.void)
        const locked = yield* measured(Sqlite.execute(file, "BEGIN IMMEDIATE"))
        if (!(yield* Load.untilAdded(load, 1))) wrong("nothing is added after the lock")
        const times = `${Math.round(locked.held)} ms, and for ${Math.round(free.held)} without it`
        trial.count("lists meanwhile", locked.lists)
        trial.note({ "event loop held for": times })
        if (locked.held > Math.max(maxHeldMillis, 2 * free.held))
          wrong(`with the lock the event loop was held for ${times}`)
        if (locked.lists < free.lists / 3)
          wrong(`${locked.lists} lists were answered, and ${free.lists} without the lock`)
      }
      trial.note({ "answered with 503": load.statuses.of(503) })
      yield* Load.ended(trial, load, service.port)
    })
}

/** The longest time for which the event loop was held since the last call, in milliseconds. */
const heldOf = (service: Service.Service) =>
  Effect.suspend(() => {
    const reports = () => [...service.output().matchAll(/^held (\S+)\n/gm)]
    const before = reports().length
    process.kill(service.pid() ?? 0, "SIGUSR2")
    return Effect.map(
      Wait.holds(() => reports().length > before),
      () => Number(reports().at(-1)?.[1])
    )
  })
