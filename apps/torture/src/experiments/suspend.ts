/** Processes that stand still. */
import * as Effect from "effect/Effect"
import type { Experiment } from "../Experiment.ts"
import * as Load from "../Load.ts"
import * as Service from "../Service.ts"
import * as Storage from "../Storage.ts"

/** One of two servers on one database stands still, and goes on. */
export const suspend: Experiment = {
  name: "suspend",
  promise:
    "a server that stands still does not hold up another one, and serves again: no acknowledged pet is lost",
  attack:
    "SIGSTOP of one of two servers under 16 writers each, for 1 s, in long runs for about a minute; then SIGCONT",
  databases: ["postgres"],
  needs: [],
  seconds: 4,
  least: { "with requests under way": 1, "added in each stop": 10, "added afterwards": 20 },
  run: ({ database, random, seconds, show }) =>
    Effect.gen(function* () {
      const storage = yield* Storage.make(database)
      const servers = yield* Effect.replicateEffect(Service.started(storage), 2)
      const loads = yield* Effect.forEach(servers, ({ port }) =>
        Load.make({ ports: [port], writers: 16 })
      )
      const times = Math.max(2, Math.round(seconds / 120))
      const figures = {
        stops: times,
        "with requests under way": 0,
        "added in each stop": Number.POSITIVE_INFINITY,
        "added afterwards": 0
      }
      for (let nth = 0; nth < times; nth++) {
        const [one, other] = [loads[nth % 2], loads[(nth + 1) % 2]]
        const pid = servers[nth % 2]?.pid()
        if (one === undefined || other === undefined || pid === undefined) break
        yield* Effect.sleep(500 + random.below(500))
        if (yield* Load.untilBusy(one)) figures["with requests under way"] += 1
        process.kill(pid, "SIGSTOP")
        const before = other.acknowledged()
        yield* Effect.sleep((seconds * 500) / times)
        const added = other.acknowledged() - before
        figures["added in each stop"] = Math.min(figures["added in each stop"], added)
        process.kill(pid, "SIGCONT")
        if (yield* Load.untilAdded(one, 10)) figures["added afterwards"] += 10
        yield* show(`stop ${nth + 1} of ${times}: ${JSON.stringify(figures)}`)
      }
      yield* Effect.forEach(loads, ({ stop }) => stop)
      const history = loads.flatMap(({ history }) => history)
      const wrong = loads.flatMap((load) => Load.unexpected(load, 0))
      return {
        figures,
        wrong: [...wrong, ...(yield* Load.judge({ history }, servers[0]?.port ?? 0))]
      }
    })
}
