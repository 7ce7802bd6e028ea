/** Servers on one database under load, while a part of it fails. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Balancer from "./Balancer.ts"
import * as Catalogue from "./Catalogue.ts"
import * as Load from "./Load.ts"
import * as Replica from "./Replica.ts"
import * as Report from "./Report.ts"
import * as Verdict from "./Verdict.ts"

/** What is shown. */
export interface Scenario {
  /** How many servers and callers that add pets there are. */
  readonly replicas: number
  readonly writers: number
  /** The URL of the database. */
  readonly url: string
  /** Lets a part fail. Returns whether the service went on. */
  readonly play: (
    replicas: ReadonlyArray<Replica.Replica>,
    load: Load.Load
  ) => Effect.Effect<boolean>
}

/** Plays a scenario, and returns what went wrong: pets that were lost, or a service that did not go on. */
export const run = ({ play, url, ...many }: Scenario): Effect.Effect<ReadonlyArray<string>> =>
  Effect.scoped(
    Effect.gen(function* () {
      const replicas = yield* Effect.forEach(
        Array.from({ length: many.replicas }, (_, nth) => `replica ${nth + 1}`),
        (name) => Replica.make(name, url),
        { concurrency: "unbounded" }
      )
      const port = yield* Balancer.make(replicas)
      yield* print(
        [
          ...replicas.map((one) => `${one.name}: port ${one.port}, process ${one.pid()}`),
          `a proxy at port ${port} sends each request to the next of them\n`
        ].join("\n")
      )
      yield* print(Report.head(replicas))
      const load = yield* Load.make(port, many.writers)
      yield* Effect.forkScoped(reportEachSecond(replicas))
      const isServing = yield* play(replicas, load)
      yield* load.stop
      return yield* judge(load, port, isServing)
    })
  )

/** Prints a line. */
export const print = (text: string): Effect.Effect<void> =>
  Effect.sync(() => {
    process.stdout.write(`${text}\n`)
  })

const reportEachSecond = (replicas: ReadonlyArray<Replica.Replica>) =>
  Effect.gen(function* () {
    const began = yield* Clock.currentTimeMillis
    let last = began
    const report = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      yield* print(Report.line(now - began, now - last, replicas))
      last = now
    })
    yield* Effect.repeat(Effect.delay(report, "1 second"), Schedule.forever)
  })

const judge = (load: Load.Load, port: number, isServing: boolean) =>
  Effect.gen(function* () {
    const { acknowledged, failed, stale } = load
    const catalogue = yield* Effect.promise(() => Catalogue.walk(port))
    const { lost, misread, repeated, unacknowledged } = Verdict.of(load, catalogue)
    yield* print(
      `failed: ${failed.lists} lists, ${failed.adds} adds; ${unacknowledged} pets were committed, but not acknowledged\n`
    )
    const wrong = [
      lost.length > 0 && `of ${acknowledged.length} acknowledged pets ${lost.length} are lost`,
      repeated.length > 0 && `${repeated.length} pets are in the catalogue more than once`,
      misread > 0 && `callers that follow the list missed or misread ${misread} pets`,
      stale() > 0 && `${stale()} lists lacked a pet that was acknowledged before`,
      !isServing && "the service did not go on"
    ].filter((text) => text !== false)
    for (const text of wrong) yield* print(`FAILED: ${text}`)
    if (wrong.length === 0) {
      yield* print(
        `OK: all ${acknowledged.length} acknowledged pets are in the catalogue, each exactly once`
      )
    }
    return wrong
  })
