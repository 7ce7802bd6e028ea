/** Three servers on one PostgreSQL. One is killed, and started again. */
import * as LocalPostgres from "@petstore/local-postgres/LocalPostgres"
import * as Effect from "effect/Effect"
import * as Demo from "./Demo.ts"
import type * as Replica from "./Replica.ts"

/** Runs for about this long; returns what went wrong. */
export const run = (seconds: number): Effect.Effect<ReadonlyArray<string>> =>
  Effect.scoped(
    Effect.gen(function* () {
      yield* Demo.print("starting PostgreSQL and three replicas")
      const postgres = yield* Effect.acquireRelease(
        Effect.promise(() => LocalPostgres.start()),
        ({ remove }) => Effect.promise(remove)
      )
      const url = yield* Effect.promise(postgres.createDatabase)
      const play = (replicas: ReadonlyArray<Replica.Replica>) => killOne(replicas, seconds)
      return yield* Demo.run({ replicas: 3, writers: 8, url, play })
    })
  )

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
    yield* Demo.print(`      ${first.name} was killed (SIGKILL)`)
    yield* Effect.sleep(`${seconds * 0.25} seconds`)
    const meanwhile = answered(others) - before

    yield* Demo.print(`      ${first.name} starts again`)
    const atRestart = first.answered
    yield* first.start
    yield* Demo.print(`      ${first.name} is ready`)
    yield* Effect.sleep(`${seconds * 0.4} seconds`)
    const afterwards = first.answered - atRestart
    yield* Demo.print(
      `\n${first.name} was down: the others answered ${meanwhile} requests\n` +
        `${first.name} was started again: it answered ${afterwards} requests`
    )
    return meanwhile > 0 && afterwards > 0
  })
