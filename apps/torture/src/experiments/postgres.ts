/** Faults of PostgreSQL. */
import * as LocalPostgres from "@petstore/local-postgres/LocalPostgres"
import * as Effect from "effect/Effect"
import type { Experiment } from "../Experiment.ts"
import * as Load from "../Load.ts"
import * as PostgresProxy from "../PostgresProxy.ts"
import type { Random } from "../Random.ts"
import * as Service from "../Service.ts"
import * as Storage from "../Storage.ts"
import * as Wait from "../Wait.ts"

const secondsPerRound = 10
const cutsPerRound = 250

export const postgres: Experiment = {
  name: "postgres",
  attack:
    "under two servers connections are cut after random bytes, bytes held back, and PostgreSQL is killed",
  databases: ["postgres"],
  seconds: secondsPerRound,
  least: {
    acknowledged: 100,
    cuts: cutsPerRound,
    stalls: 1,
    kills: 1,
    "answered with 503": 1
  },
  controls: [
    { broken: "PostgreSQL acknowledges commits before it writes them (`synchronous_commit = off`)" }
  ],
  run: (trial) =>
    Effect.gen(function* () {
      const { count, isControl, random, seconds } = trial
      const server = yield* Storage.postgres
      const direct = yield* Effect.promise(server.createDatabase)
      const proxy = yield* PostgresProxy.make(server.port)
      const url = direct.replace(`:${server.port}/`, `:${proxy.port}/`)
      if (isControl)
        yield* Effect.promise(() =>
          LocalPostgres.administer(
            server.port,
            `ALTER ROLE ${LocalPostgres.user} SET synchronous_commit = off`
          )
        )
      const services = yield* Effect.replicateEffect(Service.started({ url }), 2)
      const ports = services.map(({ port }) => port)
      const load = yield* Load.make({ ports, writers: 16 })
      const goesOn = (after: string) =>
        Effect.gen(function* () {
          if (!(yield* Load.untilAdded(load, 50))) trial.wrong(`nothing is added after ${after}`)
        })
      yield* goesOn("the start")
      const rounds = Math.max(1, Math.round(seconds / secondsPerRound))
      for (let nth = 1; nth <= rounds; nth++) {
        yield* cut(proxy, random)
        yield* goesOn("cuts")
        yield* held(proxy, nth % 4 === 0 ? 7000 : 100 + random.below(1500))
        count("stalls")
        yield* goesOn("a stall")
        server.kill()
        yield* Effect.promise(server.start)
        count("kills")
        yield* goesOn("a kill")
      }
      yield* Load.ended(trial, load, ports[0] ?? 0)
      count("cuts", proxy.cuts())
      count("answered with 503", load.statuses.of(503))
    })
}

/** Cuts connections after random bytes: some while they are made, some after many statements. */
const cut = (proxy: PostgresProxy.PostgresProxy, random: Random) => {
  const enough = proxy.cuts() + cutsPerRound
  return Effect.acquireUseRelease(
    Effect.sync(() => proxy.cut(() => 1 + random.below(random.pick([500, 5000])))),
    () => Wait.holds(() => proxy.cuts() >= enough),
    () => Effect.sync(() => proxy.cut(undefined))
  )
}

const held = (proxy: PostgresProxy.PostgresProxy, millis: number) =>
  Effect.acquireUseRelease(
    Effect.sync(() => proxy.hold(true)),
    () => Effect.sleep(millis),
    () => Effect.sync(() => proxy.hold(false))
  )
