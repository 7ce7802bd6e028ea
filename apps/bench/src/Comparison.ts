/** Two servers, or two works of one, in turns: how much more the second costs. */
import type { Generator } from "./Load.ts"
import type { Running } from "./Process.ts"
import type { Progress } from "./Progress.ts"
import { measure, median, warmUps } from "./Rounds.ts"
import type { Work } from "./Works.ts"

/** CPU microseconds for a request before and after, and the median of the rounds' ratios. */
export interface Change {
  readonly what: string
  readonly before: number
  readonly after: number
  readonly ratio: number
}

/** A work for a server with this many animals. */
export interface Aim {
  readonly running: Running
  readonly work: Work
  readonly animals: number
}

/** Compares what a request costs. The first comparison of servers needs longer to warm up. */
export const compare = async (
  generator: Generator,
  progress: Progress,
  {
    what,
    isFirst,
    rounds
  }: { readonly what: string; readonly isFirst: boolean; readonly rounds: number },
  before: Aim,
  after: Aim
): Promise<Change> => {
  const befores: Array<number> = []
  const afters: Array<number> = []
  for (let round = 1 - warmUps(isFirst); round <= rounds; round++) {
    for (const [aim, costs] of [
      [before, befores],
      [after, afters]
    ] as const) {
      progress.step(what)
      const sample = await measure(generator, aim.running, aim.work, aim.animals, round)
      if (round > 0) costs.push(sample.cpuMicros)
    }
  }
  const ratios = afters.map((cost, index) => cost / (befores[index] ?? Number.NaN))
  return { what, before: median(befores), after: median(afters), ratio: median(ratios) }
}
