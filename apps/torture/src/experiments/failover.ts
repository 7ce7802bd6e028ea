/** Failovers of PostgreSQL. */
import * as LocalPostgres from "@petstore/local-postgres/LocalPostgres"
import type * as Replicated from "@petstore/local-postgres/Replicated"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Balancer from "../Balancer.ts"
import type { Experiment, Trial } from "../Experiment.ts"
import { quantile } from "../Figures.ts"
import * as Load from "../Load.ts"
import * as Storage from "../Storage.ts"
import { pause } from "../Wait.ts"

const secondsPerFailover = 4
const writers = 32
const readers = 8

const common = {
  databases: ["postgres"],
  seconds: secondsPerFailover,
  least: { failovers: 1, "with requests under way": 1, acknowledged: 50 }
} as const

export const failover: Experiment = {
  ...common,
  name: "failover",
  attack: `SIGKILL of the primary under ${writers} writers on two replicas, promotion of its standby`,
  controls: [{ broken: "commits do not wait for a standby that is cut off" }],
  run: (trial) =>
    Effect.gen(function* () {
      const { isControl } = trial
      const servers = yield* Storage.replicated(isControl ? "asynchronous" : "synchronous")
      yield* failingOver(trial, servers, servers.rejoin)
    })
}

/** The old primary starts again as the primary that it was, while the new one is out of reach now and then. */
export const oldPrimary: Experiment = {
  ...common,
  name: "return",
  attack:
    "after a failover the old primary starts again as it was, while the new one ends connections and restarts; lists may be 2 s old",
  controls: [
    { broken: "the service takes the old primary for the newest one", sabotage: "no-timelines" }
  ],
  run: (trial) =>
    Effect.gen(function* () {
      const servers = yield* Storage.replicated("synchronous")
      const rejoin = async () => {
        await servers.revive()
        for (let times = 0; times < 5; times++) {
          await LocalPostgres.administer(servers.primary().port, endConnections)
          await pause(200)
        }
        await servers.primary().stop()
        await pause(1000)
        await servers.primary().start()
        await pause(500)
        // The service goes on using it.
        if (trial.isControl) return
        // A short run has no second failover.
        if (trial.seconds === secondsPerFailover) await servers.standby().stop()
        else await servers.rejoin()
      }
      yield* failingOver(trial, servers, rejoin, 2000)
    })
}

const endConnections =
  "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = CURRENT_USER AND pid <> pg_backend_pid()"

/** Kills the primary under load and promotes its standby, again and again. Then the old primary comes back, and lists may be this old. */
const failingOver = (
  trial: Trial,
  servers: Replicated.Replicated,
  rejoin: () => Promise<void>,
  staleMillis = 0
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { isControl, sabotage, seconds, show } = trial
    const url = servers.urlOf("postgres")
    const balancer = yield* Balancer.make(2, { url, sabotage }, show)
    const load = yield* Load.make({ ports: [balancer.port], writers, readers, pauseMillis: 100 })
    const gaps: Array<number> = []
    // The first requests take longer than any later ones.
    let isBack = yield* Load.untilAdded(load, 300)
    for (
      let nth = Math.max(1, Math.round(seconds / secondsPerFailover));
      isBack && nth > 0;
      nth--
    ) {
      yield* Effect.sleep("1 second")
      if (isControl && sabotage === undefined) {
        // The standby must be behind.
        yield* Effect.promise(servers.cut)
        yield* Load.untilAdded(load, 100)
      }
      if (yield* load.underWay) trial.count("with requests under way")
      servers.primary().kill()
      const killedAt = performance.now()
      yield* show("      the primary was killed (SIGKILL)")
      yield* Effect.promise(servers.promote)
      yield* show(`      the standby at port ${servers.primary().port} is the primary`)
      isBack = yield* Load.untilAdded(load, 1)
      gaps.push(performance.now() - killedAt)
      yield* show("      adds succeed again; the old primary starts")
      yield* Effect.promise(rejoin)
      trial.count("failovers")
    }
    yield* Effect.sleep("1 second")
    yield* load.stop
    trial.note({ "without adds (median)": `${(quantile(gaps, 0.5) / 1000).toFixed(2)} s` })
    const history = load.history.map((entry) =>
      entry.kind === "list" ? { ...entry, begin: entry.begin - staleMillis } : entry
    )
    yield* Load.ended(trial, { ...load, history }, balancer.port)
    // What each server printed last.
    const words = balancer.backends.map(({ service }) => service.output().slice(-500))
    if (!isBack) trial.wrong(`adds did not succeed again: ${words.join("\n")}`)
  })
