/** Three servers on one PostgreSQL under load. One is killed, and started again. */
import * as LocalPostgres from "@petstore/local-postgres/LocalPostgres"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Balancer from "./Balancer.ts"
import * as Load from "./Load.ts"
import * as Replica from "./Replica.ts"
import * as Report from "./Report.ts"
import * as Verdict from "./Verdict.ts"

/** Runs for about this long; returns whether nothing was lost and the service went on. */
export const run = (seconds: number): Effect.Effect<boolean> =>
  Effect.scoped(
    Effect.gen(function* () {
      yield* print("starting PostgreSQL and three replicas")
      const postgres = yield* Effect.acquireRelease(
        Effect.promise(() => LocalPostgres.start()),
        ({ remove }) => Effect.promise(remove)
      )
      const url = yield* Effect.promise(postgres.createDatabase)
      const replicas = yield* Effect.forEach(
        ["replica 1", "replica 2", "replica 3"],
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
      const load = yield* Load.make(port)
      yield* Effect.forkScoped(reportEachSecond(replicas))
      const isServing = yield* killOne(replicas, seconds)
      yield* load.stop
      return yield* judge(load, port, isServing)
    })
  )

const print = (text: string) => Effect.sync(() => process.stdout.write(`${text}\n`))

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

/** Kills a replica and starts it again. Returns whether the others served meanwhile, and it served afterwards. */
const killOne = (replicas: ReadonlyArray<Replica.Replica>, seconds: number) =>
  Effect.gen(function* () {
    const [first, ...others] = replicas
    if (first === undefined) return false
    const answered = (some: ReadonlyArray<Replica.Replica>) =>
      some.reduce((sum, one) => sum + one.answered, 0)

    yield* Effect.sleep(`${seconds * 0.35} seconds`)
    yield* first.kill
    const before = answered(others)
    yield* print(`      ${first.name} was killed (SIGKILL)`)
    yield* Effect.sleep(`${seconds * 0.25} seconds`)
    const meanwhile = answered(others) - before

    yield* print(`      ${first.name} starts again`)
    const atRestart = first.answered
    yield* first.start
    yield* print(`      ${first.name} is ready`)
    yield* Effect.sleep(`${seconds * 0.4} seconds`)
    const afterwards = first.answered - atRestart
    yield* print(
      `\n${first.name} was down: the others answered ${meanwhile} requests\n` +
        `${first.name} was started again: it answered ${afterwards} requests`
    )
    return meanwhile > 0 && afterwards > 0
  })

const judge = ({ acknowledged, failed }: Load.Load, port: number, isServing: boolean) =>
  Effect.gen(function* () {
    const catalogue = yield* Effect.promise(() => Load.walk(port))
    const { lost, repeated, unacknowledged } = Verdict.of(acknowledged, catalogue)
    yield* print(
      `failed: ${failed.lists} lists, ${failed.adds} adds, of which ${unacknowledged} were committed\n`
    )
    const isKept = lost.length === 0 && repeated.length === 0
    yield* print(
      isKept
        ? `OK: all ${acknowledged.length} acknowledged pets are in the catalogue, each exactly once`
        : `FAILED: of ${acknowledged.length} acknowledged pets ${lost.length} are lost; ` +
            `${repeated.length} pets are in the catalogue more than once`
    )
    if (!isServing) yield* print("FAILED: the service did not go on")
    return isKept && isServing
  })
