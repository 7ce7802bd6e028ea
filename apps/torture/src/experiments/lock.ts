/** Another process holds the lock of the file. */
import * as Effect from "effect/Effect"
import type { Experiment } from "../Experiment.ts"
import * as Load from "../Load.ts"
import * as Service from "../Service.ts"
import * as Sqlite from "../Sqlite.ts"
import * as Storage from "../Storage.ts"
import * as Wait from "../Wait.ts"

const shortLock = 3
const longLock = 10
const maxHeldMillis = 50

/** Writes wait for a lock, and reads do not. */
export const lock: Experiment = {
  name: "lock",
  promise: `while another process holds the lock of the file, reads go on, writes wait or get 503, and the event loop is never held over ${maxHeldMillis} ms, or twice as long as without the lock`,
  attack: `another process holds the lock for ${longLock} s (${shortLock} s in the short form) under 32 writers and 4 readers`,
  databases: ["sqlite"],
  needs: ["Linux"],
  seconds: 2 * shortLock,
  least: { "lists meanwhile": 50 },
  control: "the event loop waits for the lock",
  run: ({ isControl, seconds, show }) =>
    Effect.gen(function* () {
      const { file, url } = Storage.sqlite(yield* Storage.folder)
      const sabotage = isControl ? "loop-lock" : "loop-probe"
      const service = yield* Service.started({ url, sabotage })
      const load = yield* Load.make({ ports: [service.port], pauseMillis: 5 })
      const length = seconds < 2 * longLock ? shortLock : longLock
      const times = Math.max(1, Math.floor(seconds / (2 * length)))
      /** What happens in this time. */
      const measured = (body: Effect.Effect<void>) =>
        Effect.gen(function* () {
          yield* heldOf(service)
          const [lists, refused] = [load.statuses.of(200), load.statuses.of(503)]
          yield* body
          return {
            held: yield* heldOf(service),
            lists: load.statuses.of(200) - lists,
            refused: load.statuses.of(503) - refused
          }
        })
      const wrong: Array<string> = []
      const free = { held: 0 }
      const locked = { held: 0, lists: 0, refused: 0 }
      // A busy machine holds it now and then, a fault of the service every time.
      let tries = 3
      // The first requests take longer than any later ones.
      yield* Load.untilAdded(load, 200)
      for (let nth = 1; nth <= times; nth++) {
        // A baseline in the same run: what is held without the lock is not caused by it.
        const before = yield* measured(Effect.sleep(length * 1000))
        load.lap()
        const during = yield* measured(
          Effect.scoped(
            Effect.zipRight(Sqlite.execute(file, "BEGIN IMMEDIATE"), Effect.sleep(length * 1000))
          )
        )
        if (!(yield* Load.untilAdded(load, 1))) wrong.push("nothing is added after the lock")
        const waited = load.lap().adds.gap / 1000
        if (waited < length * 0.9) return yield* Effect.dieMessage("the lock was not held")
        if (during.held > Math.max(maxHeldMillis, 2 * before.held)) {
          if (--tries > 0) {
            nth--
            continue
          }
          const [one, other] = [during.held, before.held].map(Math.round)
          wrong.push(`the event loop was held for ${one} ms, and for ${other} ms without a lock`)
        }
        if (during.lists < before.lists / 3) {
          wrong.push(`${during.lists} lists were answered, and ${before.lists} without a lock`)
        }
        free.held = Math.max(free.held, before.held)
        locked.held = Math.max(locked.held, during.held)
        locked.lists += during.lists
        locked.refused += during.refused
        yield* show(`lock ${nth} of ${times}: ${JSON.stringify({ before, during, waited })}`)
      }
      yield* load.stop
      wrong.push(...(yield* Load.judge(load, service.port)))
      return {
        figures: {
          locks: `${times} of ${length} s`,
          "lists meanwhile": locked.lists,
          "503 meanwhile": locked.refused,
          "event loop held (ms)": locked.held,
          "without a lock": free.held
        },
        wrong
      }
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
