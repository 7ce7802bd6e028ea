/** Faults of PostgreSQL. */
import * as LocalPostgres from "@petstore/local-postgres/LocalPostgres"
import type * as History from "@petstore/store-testkit/History"
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
    "under two servers connections are cut after random bytes, bytes held back, PostgreSQL killed and an older state restored",
  databases: ["postgres"],
  seconds: secondsPerRound,
  least: {
    acknowledged: 100,
    cuts: cutsPerRound,
    stalls: 1,
    kills: 1,
    restores: 1,
    "answered with 503": 1
  },
  controls: [
    {
      broken: "ids from a sequence, which are committed in another order",
      sabotage: "sequence"
    }
  ],
  run: (trial) =>
    Effect.gen(function* () {
      const { count, isControl, random, sabotage, seconds } = trial
      const server = yield* Storage.postgres
      const direct = yield* Effect.promise(server.createDatabase)
      const proxy = yield* PostgresProxy.make(server.port)
      const url = direct.replace(`:${server.port}/`, `:${proxy.port}/`)
      const services = yield* Effect.replicateEffect(Service.started({ url, sabotage }), 2)
      const ports = services.map(({ port }) => port)
      if (isControl) yield* execute(direct, "CREATE SEQUENCE ids INCREMENT 1000 START 1000")
      const load = yield* Load.make({ ports, writers: 16 })
      const goesOn = (after: string, under = load) =>
        Effect.gen(function* () {
          if (!(yield* Load.untilAdded(under, 50))) trial.wrong(`nothing is added after ${after}`)
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
      if (isControl) return

      yield* execute(direct, dump)
      const later = yield* Load.make({ ports, writers: 16 })
      yield* goesOn("the dump", later)
      yield* restored(direct)
      const restoredAt = performance.now()
      yield* goesOn("a restore", later)
      yield* later.stop
      count("restores")
      // What was added since the dump may or may not be there.
      const kept = later.history.flatMap((entry): ReadonlyArray<History.Entry> => {
        if ("begin" in entry && entry.begin > restoredAt) return [entry]
        return entry.kind === "create" ? [withoutAnswer(entry)] : []
      })
      yield* Load.ended(trial, { history: [...load.history, ...kept] }, ports[0] ?? 0)
    })
}

const execute = (url: string, sql: string) => Effect.promise(() => LocalPostgres.execute(url, sql))

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

/** Copies everything as it is at one moment, as `pg_dump` does. */
const dump = `
  BEGIN ISOLATION LEVEL REPEATABLE READ;
  CREATE SCHEMA dump;
  DO $$ DECLARE name TEXT; BEGIN
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
      EXECUTE format('CREATE TABLE dump.%1$I (LIKE public.%1$I INCLUDING ALL)', name);
      EXECUTE format('INSERT INTO dump.%1$I SELECT * FROM public.%1$I', name);
    END LOOP;
  END $$;
  ALTER TABLE dump.idempotency_keys RENAME CONSTRAINT idempotency_keys_pkey TO idempotency_keys_are_unique;
  COMMIT`

/**
 * Puts the copy in the place of everything, as `pg_restore --clean --single-transaction` does. It locks one table after
 * another, so a transaction of the service and it can wait for each other; PostgreSQL then ends one of the two.
 */
const restored = (url: string) =>
  Effect.tryPromise({
    try: () => LocalPostgres.execute(url, restore),
    catch: (error) => error
  }).pipe(Effect.retry({ while: isDeadlock }), Effect.orDie)

const isDeadlock = (error: unknown) =>
  error instanceof Error && "code" in error && error.code === "40P01"

const restore = "BEGIN; DROP SCHEMA public CASCADE; ALTER SCHEMA dump RENAME TO public; COMMIT"

const withoutAnswer = ({ pet, ...sent }: History.Create): History.Create => ({ ...sent, status: 0 })
