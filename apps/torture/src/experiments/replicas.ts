/** Three servers on one PostgreSQL. */
import * as Effect from "effect/Effect"
import * as Balancer from "../Balancer.ts"
import * as Display from "../Display.ts"
import type { Experiment } from "../Experiment.ts"
import * as Load from "../Load.ts"
import * as Storage from "../Storage.ts"

/** One of three replicas is killed, and started again. */
export const replicas: Experiment = {
  name: "replicas",
  promise: "while one replica is down the others serve, and no acknowledged pet is lost",
  attack: "SIGKILL of one of three replicas behind a proxy; the replica is started again",
  databases: ["postgres"],
  needs: [],
  seconds: 3,
  least: {
    acknowledged: 50,
    "answered by the others": 10,
    "answered after the restart": 10
  },
  run: ({ database, seconds, show }) =>
    Effect.gen(function* () {
      yield* show("starting PostgreSQL and three replicas")
      const balancer = yield* Balancer.make(3, yield* Storage.make(database))
      yield* Display.show(balancer, show)
      const load = yield* Load.make({ ports: [balancer.port], writers: 8 })
      const [first, ...others] = balancer.backends
      if (first === undefined) return { figures: {}, wrong: ["there is no replica"] }
      const answered = () => others.reduce((sum, one) => sum + one.answered, 0)

      yield* Effect.sleep(seconds * 350)
      yield* first.service.kill
      const before = answered()
      yield* show(`      ${first.name} was killed (SIGKILL)`)
      yield* Effect.sleep(seconds * 250)
      const meanwhile = answered() - before
      yield* show(`      ${first.name} starts again`)
      const atRestart = first.answered
      yield* Effect.orDie(first.service.start)
      yield* show(`      ${first.name} is ready`)
      yield* Effect.sleep(seconds * 400)
      const afterwards = first.answered - atRestart
      yield* load.stop
      const wrong = yield* Load.judge(load, balancer.port, 0, 502)
      return {
        figures: {
          acknowledged: load.acknowledged(),
          "answered by the others": meanwhile,
          "answered after the restart": afterwards
        },
        wrong
      }
    })
}
