/** Crashes of the service. */
import * as Effect from "effect/Effect"
import type { Experiment } from "../Experiment.ts"
import * as Load from "../Load.ts"
import * as Service from "../Service.ts"
import * as Storage from "../Storage.ts"

const secondsPerCycle = 1

/** The service is killed under load, again and again, and started again. */
export const kill: Experiment = {
  name: "kill",
  promise: "an acknowledged pet survives a crash of the service, once and unchanged",
  attack: "SIGKILL under 32 writers at a random time, restart, read everything back",
  databases: ["sqlite", "workers", "postgres"],
  needs: [],
  seconds: 3,
  least: { kills: 3, "with requests under way": 1, acknowledged: 50 },
  control: "every twentieth transaction is rolled back",
  run: ({ database, isControl, random, seconds, show }) =>
    Effect.gen(function* () {
      const { env, url } = yield* Storage.make(database)
      const sabotage = isControl ? "lost-commit" : undefined
      const service = yield* Service.started({ url, env, sabotage })
      const load = yield* Load.make({ ports: [service.port] })
      const cycles = Math.max(3, Math.round(seconds / secondsPerCycle))
      let hits = 0
      for (let nth = 1; nth <= cycles; nth++) {
        yield* Effect.sleep(random.next() * 1000 * secondsPerCycle)
        if (load.underWay() > 0) hits += 1
        yield* service.kill
        yield* Effect.orDie(service.start)
        yield* show(`kill ${nth} of ${cycles}: ${load.acknowledged()} acknowledged`)
      }
      yield* load.stop
      const wrong = yield* Load.judge(load, service.port, 0)
      const acknowledged = load.acknowledged()
      return { figures: { kills: cycles, "with requests under way": hits, acknowledged }, wrong }
    })
}
