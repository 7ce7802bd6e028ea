/** A line for each second: what each server did. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type { Backend, Balancer } from "./Balancer.ts"
import { quantile } from "./Figures.ts"

const columns = "  req/s p50 ms p99 ms"
const gap = "   "

/** Shows the servers, and a line per second until the scope closes. */
export const show = (
  { backends, port }: Balancer,
  print: (text: string) => Effect.Effect<void>
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    for (const { name, service } of backends) {
      yield* print(`${name}: port ${service.port}, process ${service.pid()}`)
    }
    yield* print(`a proxy at port ${port} sends each request to the next of them\n`)
    const names = [...backends.map(({ name }) => name), "all"]
    yield* print(["    ", ...names.map((name) => name.padStart(columns.length))].join(gap))
    yield* print(["time", ...names.map(() => columns)].join(gap))
    const began = yield* Clock.currentTimeMillis
    let last = began
    const line = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      yield* print(lineOf(now - began, now - last, backends))
      last = now
    })
    yield* Effect.forkScoped(Effect.repeat(Effect.delay(line, "1 second"), Schedule.forever))
  })

/** The requests since the last line, which it forgets. Times are in milliseconds. */
const lineOf = (time: number, since: number, backends: ReadonlyArray<Backend>): string => {
  const all = backends.flatMap(({ times }) => times)
  const cells = backends.map(({ isUp, times }) =>
    times.length === 0 && !isUp ? "down".padStart(columns.length) : figures(times, since)
  )
  for (const one of backends) one.times = []
  const seconds = `${Math.round(time / 1000)} s`.padStart(4)
  return [seconds, ...cells, figures(all, since)].join(gap)
}

const figures = (times: ReadonlyArray<number>, since: number): string => {
  const at = (share: number) => quantile(times, share).toFixed(1)
  const perSecond = Math.round((times.length * 1000) / since)
  return [perSecond, at(0.5), at(0.99)].map((value) => String(value).padStart(7)).join("")
}
