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
    "under two servers connections are cut after random messages, bytes held back, PostgreSQL killed and an older state restored",
  databases: ["postgres"],
  seconds: secondsPerRound,
  least: {
    acknowledged: 100,
    cuts: cutsPerRound,
    "after kinds of messages": 5,
    stalls: 1,
    kills: 1,
    restores: 1,
    "answered with 503": 1
  },
  control: {
    broken: "ids from a sequence, which are committed in another order",
    sabotage: "sequence"
  },
  run: (trial) =>
    Effect.gen(function* () {
      const { count, isControl, random, sabotage, seconds, show } = trial
      const server = yield* Storage.postgres
      const direct = yield* Effect.promise(server.createDatabase)
      const proxy = yield* PostgresProxy.make(server.port)
      const url = direct.replace(`:${server.port}/`, `:${proxy.port}/`)
      const services = yield* Effect.replicateEffect(Service.started({ url, sabotage }), 2)
      if (isControl) yield* execute(direct, "CREATE SEQUENCE ids INCREMENT 1000 START 1000")
      const load = yield* Load.make({ ports: services.map(({ port }) => port), writers: 16 })
      const restores: Array<Restore> = []
      const goesOn = (after: string) =>
        Effect.gen(function* () {
          yield* show(`${after}: ${load.acknowledged()} acknowledged`)
          if (!(yield* Load.untilAdded(load, 50))) trial.wrong(`nothing is added after ${after}`)
        })
      yield* goesOn("the start")
      const rounds = Math.max(1, Math.round(seconds / secondsPerRound))
      for (let nth = 1; nth <= rounds; nth++) {
        const dumped = performance.now()
        if (!isControl) yield* execute(direct, dump)
        yield* cut(proxy, random)
        yield* goesOn("cuts")
        yield* held(proxy, nth % 4 === 0 ? 7000 : 100 + random.below(1500))
        count("stalls")
        yield* goesOn("a stall")
        server.kill()
        yield* Effect.promise(server.start)
        count("kills")
        yield* goesOn("a kill")
        if (isControl) continue
        const begin = performance.now()
        yield* restored(direct)
        restores.push({ dumped, begin, end: performance.now() })
        count("restores")
        yield* goesOn("a restore")
      }
      yield* load.stop
      count("cuts", proxy.cuts.total())
      count("after kinds of messages", proxy.cuts.size)
      count("answered with 503", load.statuses.of(503))
      const [last = [], ...earlier] = partsOf(load.history, restores).toReversed()
      trial.wrong(...earlier.flatMap(Load.check))
      yield* Load.ended(trial, { ...load, history: last }, services[0]?.port ?? 0)
    })
}

const execute = (url: string, sql: string) => Effect.promise(() => LocalPostgres.execute(url, sql))

/** Cuts connections after random messages: some while they are made, some after many statements. */
const cut = (proxy: PostgresProxy.PostgresProxy, random: Random) => {
  const enough = proxy.cuts.total() + cutsPerRound
  return Effect.acquireUseRelease(
    Effect.sync(() => proxy.cut(() => 1 + random.below(random.pick([30, 100])))),
    () => Wait.holds(() => proxy.cuts.total() >= enough),
    () => Effect.sync(() => proxy.cut(undefined))
  )
}

const held = (proxy: PostgresProxy.PostgresProxy, millis: number) =>
  Effect.acquireUseRelease(
    Effect.sync(() => proxy.hold(true)),
    () => Effect.sleep(millis),
    () => Effect.sync(() => proxy.hold(false))
  )

interface Restore {
  /** When the dump was begun. */
  readonly dumped: number
  readonly begin: number
  readonly end: number
}

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

/** One history for each state: after a restore, what was acknowledged since the dump may or may not be there. */
const partsOf = (
  history: ReadonlyArray<History.Entry>,
  restores: ReadonlyArray<Restore>
): ReadonlyArray<ReadonlyArray<History.Entry>> => {
  const parts: Array<ReadonlyArray<History.Entry>> = []
  let current = history
  for (const { begin, dumped, end } of restores) {
    parts.push(
      current.flatMap((entry) => {
        if ("end" in entry && entry.end < begin) return [entry]
        // Its answer belongs to no state, but a list may show it before.
        return entry.kind === "create" && entry.begin < begin ? [withoutAnswer(entry)] : []
      })
    )
    current = current.flatMap((entry): ReadonlyArray<History.Entry> => {
      if (entry.kind === "list") return entry.begin > end ? [entry] : []
      const isKnown = entry.kind !== "create" || entry.begin > end || entry.end < dumped
      return [isKnown ? entry : withoutAnswer(entry)]
    })
  }
  return [...parts, current]
}

const withoutAnswer = ({ pet, ...sent }: History.Create): History.Create => ({ ...sent, status: 0 })
