/** Power cuts. */
import * as Effect from "effect/Effect"
import * as Disk from "../Disk.ts"
import type { Experiment, Outcome, Trial } from "../Experiment.ts"
import * as Load from "../Load.ts"
import * as Service from "../Service.ts"
import * as Storage from "../Storage.ts"

const secondsPerCut = 1

/** The power of the disk is cut under load, again and again. */
export const power: Experiment = {
  name: "power",
  promise: "an acknowledged pet survives a power cut, once and unchanged",
  attack:
    "the power of a disk (ext4) is cut under 32 writers at a random time, restart, read everything back",
  databases: ["sqlite"],
  needs: ["Linux", "root", "loop devices", "Perl", "eatmydata"],
  seconds: 5,
  least: { cuts: 2, "with requests under way": 1, acknowledged: 50 },
  control: "syncs do nothing (`eatmydata`); SQLite makes none (`synchronous = OFF`)",
  run: (trial) =>
    Effect.gen(function* () {
      if (!trial.isControl) return yield* cutting(trial, {})
      // The first cuts destroy enough.
      const outcomes = yield* Effect.forEach(
        [{ wrapper: ["eatmydata"] }, { sabotage: "synchronous-off" }],
        (broken) => Effect.scoped(cutting({ ...trial, seconds: 2 * secondsPerCut }, broken))
      )
      // Each of them must fail.
      const isSeen = outcomes.every(({ wrong }) => wrong.length > 0)
      return {
        figures: outcomes[0]?.figures ?? {},
        wrong: isSeen ? outcomes.flatMap(({ wrong }) => wrong) : []
      }
    })
}

const cutting = (
  { random, seconds, show }: Trial,
  broken: Pick<Service.Options, "wrapper" | "sabotage">
) =>
  Effect.gen(function* () {
    const disk = yield* Disk.make
    const { url } = Storage.sqlite(disk.path)
    const service = yield* Service.started({ url, ...broken })
    const load = yield* Load.make({ ports: [service.port] })
    const cuts = Math.max(2, Math.round(seconds / secondsPerCut))
    let hits = 0
    const figures = (nth: number) => ({
      cuts: nth,
      "with requests under way": hits,
      acknowledged: load.acknowledged()
    })
    for (let nth = 1; nth <= cuts; nth++) {
      yield* Effect.sleep(random.next() * 1000 * secondsPerCut)
      if (load.underWay() > 0) hits += 1
      yield* disk.cut
      yield* service.kill
      yield* disk.remount
      const isStarted = yield* Effect.either(service.start)
      if (isStarted._tag === "Left") {
        const wrong = [`after a power cut ${isStarted.left.message}`]
        return { figures: figures(nth), wrong } satisfies Outcome
      }
      yield* show(`power cut ${nth} of ${cuts}: ${load.acknowledged()} acknowledged`)
    }
    yield* load.stop
    const wrong = yield* Load.judge(load, service.port, 0)
    return { figures: figures(cuts), wrong } satisfies Outcome
  })
