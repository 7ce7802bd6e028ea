/** Crashes of the service, and of the power. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Disk from "../Disk.ts"
import type { Experiment, Trial } from "../Experiment.ts"
import * as Load from "../Load.ts"
import * as Service from "../Service.ts"
import * as Storage from "../Storage.ts"

const secondsPerCrash = 1
const least = { crashes: 2, "with requests under way": 1, acknowledged: 50 }

export const kill: Experiment = {
  name: "kill",
  attack: "SIGKILL under 32 writers at a random time, and a restart, again and again",
  databases: ["sqlite", "postgres"],
  seconds: 3,
  least,
  controls: [{ broken: "every twentieth transaction is rolled back", sabotage: "lost-commit" }],
  run: (trial) =>
    Effect.flatMap(Storage.make(trial.database), (storage) => crashing(trial, storage))
}

export const power: Experiment = {
  name: "power",
  attack: "ext4 is shut down without its journal, as in a power cut, under 32 writers",
  databases: ["sqlite"],
  needs: ["Linux", "root", "loop devices", "Perl"],
  seconds: 5,
  least,
  controls: [
    {
      broken: "SQLite syncs before checkpoints only (`synchronous = NORMAL`)",
      sabotage: "synchronous-normal"
    }
  ],
  run: (trial) =>
    Effect.gen(function* () {
      const disk = yield* Disk.make
      yield* crashing(trial, Storage.sqlite(disk.path), disk)
    })
}

/** Kills the service under load, with the power of its disk if there is one, and starts it again. */
const crashing = (
  trial: Trial,
  { url }: Pick<Service.Options, "url">,
  disk?: Disk.Disk
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { isControl, random, sabotage, seconds } = trial
    const service = yield* Service.started({ url, sabotage })
    const load = yield* Load.make({ ports: [service.port] })
    for (let nth = Math.max(2, Math.round(seconds / secondsPerCrash)); nth > 0; nth--) {
      // Enough for the least, and for the transactions of which the control loses one.
      const isAdding = yield* Load.untilAdded(load, isControl ? 1000 : 50)
      if (!isAdding && !isControl) return trial.wrong("no pets are added")
      yield* Effect.sleep(random.next() * 1000 * secondsPerCrash)
      if (yield* load.underWay) trial.count("with requests under way")
      const pid = service.pid()
      if (disk !== undefined && pid !== undefined) yield* disk.cut(pid)
      yield* service.kill
      if (disk !== undefined) yield* disk.remount
      trial.count("crashes")
      const isStarted = yield* Effect.either(service.start)
      if (isStarted._tag === "Left") return trial.wrong(`after a crash ${isStarted.left.message}`)
    }
    return yield* Load.ended(trial, load, service.port, 0)
  })
