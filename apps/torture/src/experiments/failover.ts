/** Failovers of PostgreSQL. */
import * as LocalPostgres from "@petstore/local-postgres/LocalPostgres"
import type * as Replicated from "@petstore/local-postgres/Replicated"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Balancer from "../Balancer.ts"
import * as Display from "../Display.ts"
import type { Experiment, Outcome, Trial } from "../Experiment.ts"
import { quantile } from "../Figures.ts"
import * as Load from "../Load.ts"
import * as Patroni from "../Patroni.ts"
import * as Storage from "../Storage.ts"
import { pause, until } from "../Wait.ts"

const promise = "an acknowledged pet survives the loss of the primary, and no list hides it"
const secondsPerFailover = 4
const least = { failovers: 1, "with requests under way": 1, acknowledged: 50 }
const common = { databases: ["postgres"], promise, least } as const

const onReplicated = (
  servers: Replicated.Replicated,
  commits: Replicated.Commits
): Patroni.Servers => ({
  url: servers.urlOf("postgres", "read-write"),
  kill: async (load) => {
    if (commits !== "asynchronous") return servers.kill()
    // The standby must be behind.
    await servers.cut()
    const enough = load.acknowledged() + 100
    await until(() => load.acknowledged() >= enough)
    return servers.kill()
  },
  promote: async () => {
    await servers.promote()
    return `the standby at port ${servers.primary().port} is the primary`
  },
  rejoin: servers.rejoin
})

/** The primary is killed, and its standby promoted. */
export const failover: Experiment = {
  ...common,
  name: "failover",
  attack: "SIGKILL of the primary under 64 writers on two replicas, promotion of its standby",
  needs: [],
  seconds: secondsPerFailover,
  control: "commits do not wait for a standby that is cut off",
  run: (trial) => {
    const commits = trial.isControl ? "asynchronous" : "synchronous"
    return Effect.flatMap(Storage.replicated(commits), (servers) =>
      runOn(trial, onReplicated(servers, commits))
    )
  }
}

/** As `failover`, but the standby answers reads. */
export const standbyReads: Experiment = {
  ...common,
  name: "standby",
  attack:
    "as failover, but standbys answer reads, and stop applying the log for 100 ms again and again",
  needs: [],
  seconds: secondsPerFailover,
  least: { ...least, "reads of standbys": 10 },
  control: "standbys seem to have applied everything",
  run: (trial) =>
    Effect.gen(function* () {
      const servers = yield* Storage.replicated("flushed")
      let reads = 0
      const pausing = async () => {
        await onStandby(servers, "SELECT pg_wal_replay_pause()")
        await pause(100)
        await onStandby(servers, "SELECT pg_wal_replay_resume()")
        await pause(100)
      }
      yield* Effect.promise(pausing).pipe(Effect.forever, Effect.forkScoped)
      const outcome = yield* runOn(trial, {
        ...onReplicated(servers, "flushed"),
        url: servers.urlOf("postgres", "prefer-standby"),
        sabotage: trial.isControl ? "stale-reads" : undefined,
        kill: async () => {
          reads += Number(await onStandby(servers, readsOfPets))
          servers.kill()
        }
      })
      return { ...outcome, figures: { ...outcome.figures, "reads of standbys": reads } }
    })
}

const readsOfPets = "SELECT seq_scan + idx_scan FROM pg_stat_user_tables WHERE relname = 'pets'"

/** The first value that a statement returns on the standby, which may be gone. */
const onStandby = (servers: Replicated.Replicated, sql: string) =>
  LocalPostgres.administer(servers.standby().port, sql).catch(() => undefined)

/** As `failover`, but the old primary starts again as the primary that it was, while the new one is out of reach. */
export const oldPrimary: Experiment = {
  ...common,
  name: "return",
  promise: "a primary that was replaced and starts again hides and loses no acknowledged pet",
  attack:
    "after a failover the old primary starts again as it was; the new one loses the connections that ask it, and restarts",
  needs: [],
  seconds: secondsPerFailover,
  control: "the service does not see timelines",
  run: (trial) =>
    Effect.gen(function* () {
      const servers = yield* Storage.replicated("synchronous")
      const rejoin = async () => {
        await servers.revive()
        for (let times = 0; times < 5; times++) {
          await LocalPostgres.administer(servers.primary().port, endQuestions)
          await pause(200)
        }
        await servers.primary().stop()
        await pause(1000)
        await servers.primary().start()
        await pause(500)
        // A short run has no second failover.
        if (trial.seconds === oldPrimary.seconds) await servers.standby().stop()
        else await servers.rejoin()
      }
      const sabotage = trial.isControl ? "no-timelines" : undefined
      return yield* runOn(trial, { ...onReplicated(servers, "synchronous"), sabotage, rejoin }, few)
    })
}

const endQuestions = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE query LIKE '%pg_is_in_recovery%' AND pid <> pg_backend_pid()`

/** Patroni promotes the standby, of a server or of a machine that is lost. */
export const patroni: Experiment = {
  ...common,
  name: "patroni",
  attack:
    "SIGKILL of the primary, in longer runs also of its Patroni with it; Patroni promotes the standby by itself",
  needs: ["Linux", "root", "Patroni"],
  least: { "failovers (server)": 1, "acknowledged (server)": 50 },
  seconds: 4 * secondsPerFailover,
  run: (trial) =>
    Effect.gen(function* () {
      // Patroni waits for a machine longer than a short run takes.
      const isShort = trial.seconds === patroni.seconds
      const losses = isShort ? (["server"] as const) : (["server", "machine"] as const)
      const outcomes = yield* Effect.forEach(losses, (loss) =>
        Storage.started(() => Patroni.start(loss)).pipe(
          Effect.flatMap((servers) => runOn({ ...trial, seconds: trial.seconds / 8 }, servers)),
          Effect.scoped
        )
      )
      const named = outcomes.map(({ figures }, nth) =>
        Object.entries(figures).map(([name, value]) => [`${name} (${losses[nth]})`, value])
      )
      return {
        figures: Object.fromEntries(named.flat()),
        wrong: outcomes.flatMap(({ wrong }) => wrong)
      }
    })
}

const runOn = (
  { seconds, show }: Trial,
  servers: Patroni.Servers,
  callers = many
): Effect.Effect<Outcome, never, Scope.Scope> =>
  Effect.gen(function* () {
    const balancer = yield* Balancer.make(callers.replicas, servers)
    yield* Display.show(balancer, show)
    const load = yield* Load.make({ ports: [balancer.port], ...callers, pauseMillis: 100 })
    const times = Math.max(1, Math.round(seconds / secondsPerFailover))
    const laps: Array<Load.Lap> = []
    let hits = 0
    // The first requests take longer than any later ones.
    let isBack = yield* Load.untilAdded(load, callers.warmUp)
    for (let nth = 1; isBack && nth <= times; nth++) {
      yield* Effect.sleep("1 second")
      load.lap()
      if (yield* Load.untilBusy(load)) hits += 1
      yield* Effect.promise(() => servers.kill(load))
      yield* show(`      failover ${nth}: the primary was killed (SIGKILL)`)
      yield* show(`      ${yield* Effect.promise(servers.promote)}`)
      isBack = yield* Load.untilAdded(load, 1)
      yield* show("      adds succeed again; the old primary starts as the standby")
      yield* Effect.promise(servers.rejoin)
      laps.push(load.lap())
    }
    yield* Effect.sleep("1 second")
    yield* load.stop
    const wrong = yield* Load.judge(load, balancer.port)
    const median = (of: (lap: Load.Lap) => number) =>
      `${(quantile(laps.map(of), 0.5) / 1000).toFixed(2)} s`
    return {
      figures: {
        failovers: laps.length,
        "with requests under way": hits,
        acknowledged: load.acknowledged(),
        "without adds (median)": median(({ adds }) => adds.gap),
        "without lists": median(({ lists }) => lists.gap)
      },
      wrong: isBack ? wrong : [...wrong, `adds did not succeed again: ${lastWords(balancer)}`]
    }
  })

/** What each server printed last. */
const lastWords = ({ backends }: Balancer.Balancer) =>
  backends.map(({ service }) => service.output().slice(-500)).join("\n")

/** How many servers and callers there are, and how many pets are added before the first failover. */
const many = { replicas: 2, writers: 64, readers: 8, warmUp: 300 }
const few = { replicas: 1, writers: 8, readers: 2, warmUp: 50 }
