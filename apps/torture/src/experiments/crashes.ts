/** Crashes of the service, and of the power. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Disk from "../Disk.ts"
import type { Experiment, Outcome, Trial } from "../Experiment.ts"
import * as Load from "../Load.ts"
import * as Service from "../Service.ts"
import * as Storage from "../Storage.ts"

const secondsPerCrash = 1
const least = { crashes: 2, "with requests under way": 1, acknowledged: 50 }

/** The service is killed under load, again and again, and started again. */
export const kill: Experiment = {
  name: "kill",
  promise: "an acknowledged pet survives a crash of the service, once and unchanged",
  attack: "SIGKILL under 32 writers at a random time, restart, again; then read everything back",
  databases: ["sqlite", "postgres"],
  needs: [],
  seconds: 3,
  least,
  control: "every twentieth transaction is rolled back",
  run: (trial) =>
    Effect.gen(function* () {
      const storage = yield* Storage.make(trial.database)
      const sabotage = trial.isControl ? "lost-commit" : undefined
      return yield* crashing(trial, { ...storage, sabotage })
    })
}

/** The power of the disk is cut under load, again and again. */
export const power: Experiment = {
  name: "power",
  promise: "an acknowledged pet survives a power cut, once and unchanged",
  attack:
    "an ext4 file system is shut down without its journal (as in a power cut) under 32 writers at a random time, restart, again; then read everything back",
  databases: ["sqlite"],
  needs: ["Linux", "root", "loop devices", "Perl", "eatmydata"],
  seconds: 5,
  least,
  control: "syncs do nothing (`eatmydata`); SQLite makes none (`synchronous = OFF`)",
  run: (trial) =>
    Effect.gen(function* () {
      const cutting = (trial: Trial, broken: Partial<Service.Options>) =>
        Effect.gen(function* () {
          const disk = yield* Disk.make
          const { url } = Storage.sqlite(disk.path)
          return yield* crashing(trial, { url, ...broken }, disk)
        })
      if (!trial.isControl) return yield* cutting(trial, {})
      // The first cuts destroy enough.
      const outcomes = yield* Effect.forEach(
        [{ wrapper: ["eatmydata"] }, { sabotage: "synchronous-off" }],
        (broken) => Effect.scoped(cutting({ ...trial, seconds: 2 * secondsPerCrash }, broken))
      )
      // Each of them must fail.
      const isSeen = outcomes.every(({ wrong }) => wrong.length > 0)
      return {
        figures: outcomes[0]?.figures ?? {},
        wrong: isSeen ? outcomes.flatMap(({ wrong }) => wrong) : []
      }
    })
}

/** Kills the service under load, with the power of its disk if there is one, and starts it again. */
const crashing = (
  { isControl, random, seconds, show }: Trial,
  options: Service.Options,
  disk?: Disk.Disk
): Effect.Effect<Outcome, never, Scope.Scope> =>
  Effect.gen(function* () {
    const service = yield* Service.started(options)
    const load = yield* Load.make({ ports: [service.port] })
    const crashes = Math.max(2, Math.round(seconds / secondsPerCrash))
    let hits = 0
    const figures = (nth: number) => ({
      crashes: nth,
      "with requests under way": hits,
      acknowledged: load.acknowledged()
    })
    for (let nth = 1; nth <= crashes; nth++) {
      // Enough for the least, and for the transactions of which the control loses one.
      const isAdding = yield* Load.untilAdded(load, isControl ? 1000 : 50)
      if (!isAdding && !isControl) return { figures: figures(nth), wrong: ["no pets are added"] }
      yield* Effect.sleep(random.next() * 1000 * secondsPerCrash)
      if (yield* Load.untilBusy(load)) hits += 1
      const pid = service.pid()
      if (disk !== undefined && pid !== undefined) yield* disk.cut(pid)
      yield* service.kill
      if (disk !== undefined) yield* disk.remount
      const isStarted = yield* Effect.either(service.start)
      if (isStarted._tag === "Left") {
        const wrong = [`after a crash ${isStarted.left.message}`]
        return { figures: figures(nth), wrong }
      }
      yield* show(`crash ${nth} of ${crashes}: ${load.acknowledged()} acknowledged`)
    }
    yield* load.stop
    return { figures: figures(crashes), wrong: yield* Load.judge(load, service.port, 0) }
  })
