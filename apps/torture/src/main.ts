/** Attacks the service, and says which of its promises hold. */
import { parseArgs } from "node:util"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { experiments } from "./experiments/index.ts"
import * as Page from "./Page.ts"
import * as Runner from "./Runner.ts"

const help = `Attacks the service, and says which of its promises hold. Exits with 1 if one does not, or too little was seen to say so.

  npx pnpm torture                      all experiments in their short forms, a few minutes
  npx pnpm torture --minutes 90         about as long as this, divided among the experiments
  npx pnpm torture --only kill,power    some of them
  npx pnpm torture --seed 7             with the random choices of seed 7; without it the seed is random, and printed
  npx pnpm torture --jobs 2             two at a time, for a quick look
  npx pnpm torture --brief              without controls, each on one database: a third of the time
  npx pnpm torture --watch              shows what happens
  npx pnpm torture --publish            writes docs/reliability-figures.tsv, if all came out right
  npx pnpm torture --help

Each has a control, in which something is broken on purpose so that it must fail: see docs/reliability-figures.tsv.

${experiments.map(({ attack, name }) => `  ${name.padEnd(10)} ${attack}`).join("\n")}
`

const options = {
  minutes: { type: "string" },
  only: { type: "string" },
  seed: { type: "string" },
  jobs: { type: "string", default: "1" },
  brief: { type: "boolean", default: false },
  watch: { type: "boolean", default: false },
  publish: { type: "boolean", default: false },
  help: { type: "boolean", default: false }
} as const

/** The options, or what is wrong with them. */
const parse = () => {
  try {
    const { values } = parseArgs({ options })
    const names = values.only?.split(",")
    const chosen = experiments.filter(({ name }) => names?.includes(name) ?? true)
    const unknown = names?.find((name) => !experiments.some((one) => one.name === name))
    if (unknown !== undefined) return `there is no experiment ${unknown}: see --help`
    const minutes = values.minutes === undefined ? undefined : Number(values.minutes)
    if (minutes !== undefined && !(minutes > 0)) return "--minutes must be positive"
    const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
    if (!Number.isInteger(seed)) return "--seed must be an integer"
    const jobs = Number(values.jobs)
    if (!(Number.isInteger(jobs) && jobs > 0)) return "--jobs must be a positive integer"
    if (values.publish && values.brief) return "--publish needs all databases, without --brief"
    const how = { isBrief: values.brief, isWatched: values.watch }
    return { ...values, ...how, minutes, seed, jobs, experiments: chosen }
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

const main = Effect.gen(function* () {
  const parsed = parse()
  if (typeof parsed === "string") {
    process.stderr.write(`${parsed}\n`)
    return 2
  }
  if (parsed.help) {
    process.stdout.write(help)
    return 0
  }
  yield* Runner.print(`seed ${parsed.seed}`)
  const results = yield* Runner.run(parsed)
  const wrong = results.filter((result) => !Runner.isRight(result))
  const isRight = wrong.length === 0 && results.length > 0
  if (parsed.publish && isRight) Page.write(experiments, results, parsed.seed)
  const failed = wrong.map(({ experiment }) => experiment.name).join(", ") || "nothing ran"
  yield* Runner.print(
    isRight ? `OK: ${results.length} trials came out as they must` : `FAILED: ${failed}`
  )
  return isRight ? 0 : 1
})

const fiber = Effect.runFork(main)
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => Effect.runFork(Fiber.interrupt(fiber)))
}
fiber.addObserver((exit) => {
  if (Exit.isSuccess(exit)) return process.exit(exit.value)
  if (Cause.isInterruptedOnly(exit.cause)) return process.exit(130)
  process.stderr.write(`${Cause.pretty(exit.cause)}\n`)
  return process.exit(1)
})
