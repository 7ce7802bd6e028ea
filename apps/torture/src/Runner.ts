/** Runs experiments, one trial after another, and prints what comes of each. */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Database, Experiment, Outcome } from "./Experiment.ts"
import * as Needs from "./Needs.ts"
import * as Random from "./Random.ts"

/** What to run, and how. */
export interface Options {
  readonly experiments: ReadonlyArray<Experiment>
  /** About how long all of it takes; short forms without it. */
  readonly minutes: number | undefined
  readonly seed: number
  /** How many trials run at a time. */
  readonly jobs: number
  /** Whether each experiment runs on one of its databases only, which the seed chooses, and without its control. */
  readonly isBrief: boolean
  /** Whether experiments show what they do. */
  readonly isWatched: boolean
}

/** One run of an experiment, and what came of it. */
export interface Result extends Outcome {
  readonly experiment: Experiment
  readonly database: Database
  readonly isControl: boolean
  readonly seconds: number
}

/** Whether a trial came out as it must: a control has to fail. */
export const isRight = ({ isControl, wrong }: Result): boolean => isControl === wrong.length > 0

/** Runs all trials of experiments that this machine can run. */
export const run = (options: Options): Effect.Effect<ReadonlyArray<Result>> =>
  Effect.gen(function* () {
    const { experiments, isBrief, isWatched, jobs, minutes, seed } = options
    const trials: Array<Pick<Result, "experiment" | "database" | "isControl">> = []
    for (const experiment of experiments) {
      const missing = Needs.missing(experiment.needs)
      if (missing.length > 0) {
        yield* print(`${experiment.name.padEnd(12)} skipped: needs ${missing.join(" and ")}`)
        continue
      }
      const { databases, name } = experiment
      for (const database of isBrief ? [Random.make(seed, name).pick(databases)] : databases) {
        trials.push({ experiment, database, isControl: false })
      }
      if (!isBrief && experiment.control !== undefined) {
        trials.push({ experiment, database: databases[0], isControl: true })
      }
    }
    const shortest = trials.reduce((sum, { experiment }) => sum + experiment.seconds, 0)
    const factor = Math.max(1, ((minutes ?? 0) * 60 * jobs) / shortest)
    return yield* Effect.forEach(
      trials,
      ({ database, experiment, isControl }) =>
        Effect.gen(function* () {
          const began = yield* Clock.currentTimeMillis
          const random = Random.make(seed, `${experiment.name} ${database} ${isControl}`)
          const outcome = yield* Effect.scoped(
            experiment.run({
              database,
              isControl,
              // A control shows the same in a short run.
              seconds: experiment.seconds * (isControl ? 1 : factor),
              random,
              show: (text) => (isWatched ? print(text) : Effect.void)
            })
          ).pipe(Effect.catchAllCause(broken))
          const seconds = ((yield* Clock.currentTimeMillis) - began) / 1000
          const wrong = [...outcome.wrong, ...(isControl ? [] : tooLittle(experiment, outcome))]
          const result: Result = { ...outcome, wrong, experiment, database, isControl, seconds }
          yield* print(lineOf(result))
          return result
        }),
      { concurrency: jobs }
    )
  })

/** An experiment that dies has not shown anything, also if it is a control. */
const broken = (cause: Cause.Cause<never>) =>
  Cause.isInterruptedOnly(cause)
    ? Effect.interrupt
    : Effect.die(new Error(`the experiment itself failed: ${Cause.pretty(cause)}`))

/** What an experiment must have seen at least, and has not. */
export const tooLittle = ({ least }: Experiment, { figures }: Outcome) =>
  Object.entries(least).flatMap(([name, many]) => {
    const { [name]: seen } = figures
    return typeof seen === "number" && seen >= many
      ? []
      : [`${name}: ${seen}, not at least ${many}`]
  })

/** The figures of a trial in one line. */
export const figuresOf = ({ figures }: Pick<Outcome, "figures">): string =>
  Object.entries(figures)
    .map(([name, value]) => `${name} ${typeof value === "number" ? shown(value) : value}`)
    .join(" · ")

const shown = (value: number) =>
  value.toLocaleString("en-US", { maximumFractionDigits: Math.abs(value) < 10 ? 2 : 0 })

/** What a trial ran on. */
export const placeOf = ({ database, isControl }: Pick<Result, "database" | "isControl">): string =>
  isControl ? "control" : database

const lineOf = (result: Result) => {
  const { experiment, isControl, seconds } = result
  const verdict = isRight(result) ? (isControl ? "fails, as it must" : "held") : "FAILED"
  const head = [experiment.name.padEnd(12), placeOf(result).padEnd(8), verdict.padEnd(17)]
  const time = `${Math.round(seconds)} s`.padStart(6)
  const line = [...head, time, " ", figuresOf(result)].join(" ")
  return [line, ...reasonsOf(result)].join("\n    ")
}

/** Why a trial failed. */
export const reasonsOf = ({ isControl, wrong }: Result): ReadonlyArray<string> =>
  isControl && wrong.length === 0 ? ["it should have failed"] : wrong

/** Prints a line. */
export const print = (text: string): Effect.Effect<void> =>
  Effect.sync(() => {
    process.stdout.write(`${text}\n`)
  })
