/** Runs experiments, one trial after another, and prints what comes of each. */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Control, Database, Experiment, Figures } from "./Experiment.ts"
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

/** A trial to run. */
interface Plan {
  readonly experiment: Experiment
  readonly database: Database
  readonly control?: Control
}

/** What came of a trial. */
export interface Result extends Plan {
  readonly figures: Figures
  /** Promises that were not kept, and what was not seen. */
  readonly wrong: ReadonlyArray<string>
  readonly seconds: number
}

/** Whether a trial came out as it must: a control has to fail. */
export const isRight = ({ control, wrong }: Result): boolean =>
  wrong.length > 0 === (control !== undefined)

/** Runs all trials of experiments that this machine can run. */
export const run = (options: Options): Effect.Effect<ReadonlyArray<Result>> =>
  Effect.gen(function* () {
    const { isBrief, jobs, minutes = 0, seed } = options
    const plans: Array<Plan> = []
    for (const experiment of options.experiments) {
      const { controls, databases, name, needs = [] } = experiment
      const missing = Needs.missing(needs)
      if (missing.length > 0) {
        yield* print(`${name.padEnd(12)} skipped: needs ${missing.join(" and ")}`)
        continue
      }
      for (const database of isBrief ? [Random.make(seed, name).pick(databases)] : databases)
        plans.push({ experiment, database })
      for (const control of isBrief ? [] : controls)
        plans.push({ experiment, database: databases[0], control })
    }
    const shortest = plans.reduce((sum, { experiment }) => sum + experiment.seconds, 0)
    const factor = Math.max(1, (minutes * 60 * jobs) / shortest)
    const result = (plan: Plan, retries = plan.experiment.retries ?? 0): Effect.Effect<Result> =>
      Effect.flatMap(tried(plan, factor, options), (one) =>
        isRight(one) || retries === 0 ? Effect.succeed(one) : result(plan, retries - 1)
      )
    const printed = (plan: Plan) => Effect.tap(result(plan), (one) => print(lineOf(one, options)))
    return yield* Effect.forEach(plans, printed, { concurrency: jobs })
  })

/** Runs a trial. */
const tried = (plan: Plan, factor: number, { isWatched, seed }: Options): Effect.Effect<Result> =>
  Effect.gen(function* () {
    const { control, database, experiment } = plan
    const { least, name, run } = experiment
    const isControl = control !== undefined
    const began = yield* Clock.currentTimeMillis
    const figures: Record<string, number | string> = {}
    for (const figure of Object.keys(least)) figures[figure] = 0
    const problems: Array<string> = []
    yield* run({
      database,
      isControl,
      sabotage: control?.sabotage,
      // A control shows the same in a short run.
      seconds: experiment.seconds * (isControl ? 1 : factor),
      random: Random.make(seed, `${name} ${database} ${isControl}`),
      count: (figure, many = 1) => {
        figures[figure] = Number(figures[figure] ?? 0) + many
      },
      note: (noted) => void Object.assign(figures, noted),
      wrong: (...more) => void problems.push(...more),
      show: (text) => (isWatched ? print(text) : Effect.void)
    }).pipe(Effect.scoped, Effect.catchAllCause(broken))
    const seconds = ((yield* Clock.currentTimeMillis) - began) / 1000
    const wrong = [
      ...[...new Set(problems)].slice(0, 10),
      ...(isControl ? [] : tooLittle(experiment, figures))
    ]
    return { ...plan, figures, wrong, seconds }
  })

/** An experiment that dies has not shown anything, even if it is a control. */
const broken = (cause: Cause.Cause<never>) =>
  Cause.isInterruptedOnly(cause)
    ? Effect.interrupt
    : Effect.die(new Error(`the experiment itself failed: ${Cause.pretty(cause)}`))

/** What an experiment must have seen at least, and has not. */
export const tooLittle = ({ least }: Experiment, figures: Figures): ReadonlyArray<string> =>
  Object.entries(least).flatMap(([name, many]) =>
    Number(figures[name] ?? 0) >= many ? [] : [`${name}: ${figures[name]}, not at least ${many}`]
  )

/** Figures in one line. */
export const textOf = (figures: Figures): string =>
  Object.entries(figures)
    .map(([name, value]) => `${name} ${typeof value === "number" ? shown(value) : value}`)
    .join(" · ")

const shown = (value: number) =>
  value.toLocaleString("en-US", { maximumFractionDigits: Math.abs(value) < 10 ? 2 : 0 })

const lineOf = (result: Result, { minutes, seed }: Options) => {
  const { control, database, experiment, figures, seconds, wrong } = result
  const isControl = control !== undefined
  const verdict = isControl ? "fails, as it must" : "held"
  const head = [
    experiment.name.padEnd(12),
    (isControl ? "control" : database).padEnd(8),
    (isRight(result) ? verdict : "FAILED").padEnd(17),
    `${Math.round(seconds)} s`.padStart(6)
  ]
  const reasons = isControl && wrong.length === 0 ? ["it should have failed"] : wrong
  const length = minutes === undefined ? "" : ` --minutes ${minutes}`
  const again = `again: npx pnpm torture --only ${experiment.name} --seed ${seed}${length}`
  return [
    [...head, " ", textOf(figures)].join(" "),
    ...reasons,
    ...(isRight(result) ? [] : [again])
  ].join("\n    ")
}

/** Prints a line. */
export const print = (text: string): Effect.Effect<void> =>
  Effect.sync(() => {
    process.stdout.write(`${text}\n`)
  })
