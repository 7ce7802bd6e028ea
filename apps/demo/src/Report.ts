/** A line for each second: what each server did. */
import type { Replica } from "./Replica.ts"

const columns = "  req/s p50 ms p99 ms"
const gap = "   "

/** The titles of the columns. */
export const head = (replicas: ReadonlyArray<Replica>): string => {
  const names = [...replicas.map(({ name }) => name), "all"]
  return [
    ["    ", ...names.map((name) => name.padStart(columns.length))].join(gap),
    ["time", ...names.map(() => columns)].join(gap)
  ].join("\n")
}

/** The requests since the last line, which it forgets. Times are in milliseconds. */
export const line = (time: number, since: number, replicas: ReadonlyArray<Replica>): string => {
  const all = replicas.flatMap(({ times }) => times)
  const cells = replicas.map(({ state, times }) =>
    times.length === 0 && state !== "up" ? state.padStart(columns.length) : figures(times, since)
  )
  for (const one of replicas) one.times = []
  const seconds = `${Math.round(time / 1000)} s`.padStart(4)
  return [seconds, ...cells, figures(all, since)].join(gap)
}

const figures = (times: ReadonlyArray<number>, since: number): string => {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1)
  const perSecond = Math.round((times.length * 1000) / since)
  return [perSecond, at(0.5), at(0.99)].map((value) => String(value).padStart(7)).join("")
}
