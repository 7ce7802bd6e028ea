/** A line for each second: what each server did. */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type { Balancer } from "./Balancer.ts"
import { quantile } from "./Figures.ts"

const columns = "  req/s p50 ms p99 ms"
const gap = "   "

/** Shows the servers, and a line per second until the scope closes. */
export const show = (
  { backends, port }: Balancer,
  print: (text: string) => Effect.Effect<void>
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    for (const { name, service } of backends)
      yield* print(`${name}: port ${service.port}, process ${service.pid()}`)
    yield* print(`a proxy at port ${port} sends each request to the next of them\n`)
    const names = [...backends.map(({ name }) => name), "all"]
    yield* print(["    ", ...names.map((name) => name.padStart(columns.length))].join(gap))
    yield* print(["time", ...names.map(() => columns)].join(gap))
    let seconds = 0
    /** The requests of the last second, which it forgets. */
    const line = Effect.suspend(() => {
      const all = figures(backends.flatMap(({ times }) => times))
      const cells = backends.map(({ isUp, times }) =>
        times.length === 0 && !isUp ? "down".padStart(columns.length) : figures(times)
      )
      for (const one of backends) one.times = []
      return print([`${++seconds} s`.padStart(4), ...cells, all].join(gap))
    })
    yield* Effect.forkScoped(Effect.schedule(line, Schedule.fixed("1 second")))
  })

const figures = (times: ReadonlyArray<number>): string => {
  const at = (share: number) => quantile(times, share).toFixed(1)
  return [String(times.length), at(0.5), at(0.99)].map((value) => value.padStart(7)).join("")
}
