/** Two servers on a PostgreSQL with a standby, which takes over again and again. */
import * as Replicated from "@petstore/local-postgres/Replicated"
import * as Effect from "effect/Effect"
import * as Demo from "./Demo.ts"
import type * as Load from "./Load.ts"

/** A PostgreSQL with a standby. */
export interface Servers {
  readonly url: string
  /** Kills the primary under this load. */
  readonly kill: (load: Load.Load) => Promise<void>
  /** Lets the standby take over, and returns what happened. */
  readonly promote: () => Promise<string>
  /** Starts the old primary as the standby. */
  readonly rejoin: () => Promise<void>
}

/** How often a standby takes over, and for how many seconds the load runs before each time. */
export interface Options {
  readonly times: number
  readonly seconds: number
}

/** Uses the PostgreSQL of the npm registry; reads go to the primary or to the standby. Returns what went wrong. */
export const run = (
  reads: "primary" | "standby",
  options: Options
): Effect.Effect<ReadonlyArray<string>> =>
  Effect.scoped(
    Effect.gen(function* () {
      yield* Demo.print("starting a primary, a standby and two replicas")
      const servers = yield* Effect.acquireRelease(
        Effect.promise(() => Replicated.start("synchronous")),
        ({ remove }) => Effect.promise(remove)
      )
      return yield* runOn(of(servers, reads), options)
    })
  )

/** The servers of the npm registry's PostgreSQL. */
export const of = (servers: Replicated.Replicated, reads: "primary" | "standby"): Servers => ({
  url: servers.urlOf("postgres", reads === "standby" ? "prefer-standby" : "read-write"),
  kill: async () => servers.kill(),
  promote: async () => {
    await servers.promote()
    return `the standby at port ${servers.primary().port} is the primary`
  },
  rejoin: servers.rejoin
})

/** Uses these servers. Returns what went wrong. */
export const runOn = (
  servers: Servers,
  { seconds, times }: Options
): Effect.Effect<ReadonlyArray<string>> => {
  const figures: Array<string> = []
  const play = (_: unknown, load: Load.Load) =>
    Effect.gen(function* () {
      // The first requests take longer than any later ones.
      yield* untilAdded(load, warmUp)
      load.lap()
      for (let nth = 1; nth <= times; nth++) {
        yield* Effect.sleep(`${seconds} seconds`)
        const before = load.lap()
        yield* Effect.promise(() => servers.kill(load))
        yield* Demo.print(`      failover ${nth}: the primary was killed (SIGKILL)`)
        yield* Demo.print(`      ${yield* Effect.promise(servers.promote)}`)
        const isBack = yield* untilAdded(load, 1)
        if (!isBack) return false
        yield* Demo.print("      adds succeed again; the old primary starts as the standby")
        yield* Effect.promise(servers.rejoin)
        const during = load.lap()
        const cells = [during.adds.gap, during.lists.gap, before.longest, during.longest]
        figures.push([nth, ...cells.map((millis) => (millis / 1000).toFixed(2))].map(cell).join(""))
      }
      yield* Effect.sleep(`${seconds} seconds`)
      yield* Demo.print(`\n${head.map(cell).join("")}\n${figures.join("\n")}\n`)
      return true
    })
  return Demo.run({ replicas: 2, writers: 64, url: servers.url, play })
}

const head = ["failover", "s without adds", "without lists", "longest before", "during"]
const cell = (value: number | string) => String(value).padStart(16)

const warmUp = 1000

/** Whether so many pets are added in time. */
const untilAdded = (load: Load.Load, many: number) =>
  Effect.suspend(() => {
    const enough = load.acknowledged.length + many
    return Effect.void.pipe(
      Effect.delay("10 millis"),
      Effect.repeat({ until: () => load.acknowledged.length >= enough }),
      Effect.timeoutTo({ duration: "60 seconds", onSuccess: () => true, onTimeout: () => false })
    )
  })
