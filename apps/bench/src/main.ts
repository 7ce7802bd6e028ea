/** The benchmark: start everybody, let them work in turns, say what came of it. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Chart from "./Chart.ts"
import * as Goals from "./Goals.ts"
import * as Growth from "./Growth.ts"
import { connections, generator, seconds } from "./Load.ts"
import * as Observing from "./Observing.ts"
import * as Options from "./Options.ts"
import * as Postgres from "./Postgres.ts"
import { residentMegabytes } from "./Process.ts"
import * as Progress from "./Progress.ts"
import { type Findings, toJson } from "./Results.ts"
import * as Rounds from "./Rounds.ts"
import { seed, seedAlike, withFolder } from "./Seed.ts"
import { home, peers, type Server, service } from "./Servers.ts"
import * as Starts from "./Starts.ts"
import * as Table from "./Table.ts"
import * as Transfer from "./Transfer.ts"
import { verify } from "./Verify.ts"
import { works as allWorks, isFirst, type Work } from "./Works.ts"

interface Plan {
  readonly options: Options.Options
  readonly ours: Server
  readonly servers: ReadonlyArray<Server>
  readonly works: ReadonlyArray<Work>
}

const load = generator()

const plan = (options: Options.Options): Plan => {
  const ours = service(options.program)
  if (!existsSync("/proc/self/stat")) {
    throw new Error("CPU time and memory are read from /proc, so this needs Linux")
  }
  if (!existsSync(ours.file)) throw new Error("the service is not built: build apps/api first")
  const chosen = peers.filter(({ name }) => options.peers.includes(name))
  return {
    options,
    ours,
    servers: [ours, ...chosen.filter(isRunnable)],
    works: allWorks.filter(({ id }) => options.works.includes(id))
  }
}

/** Whether this Node is new enough for a peer; says so if not. */
const isRunnable = ({ leastNode = 0, title }: Server): boolean => {
  const { node } = process.versions
  const isEnough = Number.parseInt(node, 10) >= leastNode
  if (!isEnough) {
    process.stderr.write(`leaving out ${title}: it needs Node ${leastNode}, this is ${node}\n`)
  }
  return isEnough
}

/** How many bursts and starts there will be, for the progress line. */
const steps = ({ options, servers, works }: Plan): number => {
  const rounds = (count: number) => (works.length === 0 ? 0 : works.length * (count + 2) + 4)
  const growing = options.works.includes("growth") ? 2 * rounds(options.growthRounds) + 10 : 0
  const transferring = options.works.includes("transfer") ? Transfer.steps : 0
  const observing = options.works.includes("observability")
    ? Observing.steps(options.growthRounds)
    : 0
  const postgres = options.works.includes("postgres") ? Postgres.steps(options.rounds) : 0
  const peering = servers.length * rounds(options.rounds) + (servers.length + 1) * options.starts
  return peering + growing + transferring + observing + postgres
}

const run = async (planned: Plan, progress: Progress.Progress): Promise<Findings> => {
  const { options, ours } = planned
  const { animals, growthRounds, manyAnimals } = options
  const failures: Array<string> = []
  /** A part that fails leaves the results of the others. */
  const part = async <A>(name: string, isChosen: boolean, body: () => Promise<A>) => {
    if (!isChosen) return undefined
    try {
      return await body()
    } catch (error) {
      failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`)
      return undefined
    }
  }
  const chosen = <A>(name: string, body: () => Promise<A>) =>
    part(name, options.works.includes(name), body)

  const compared = await part("peers", true, () => comparePeers(planned, progress))
  const growing = planned.works.length === 0 ? allWorks : planned.works
  return {
    ...(compared ?? { samples: [], starts: [], commandMillis: Number.NaN, loadedMegabytes: {} }),
    growth: await chosen("growth", () =>
      Growth.run(
        load,
        progress,
        ours,
        growing.filter((work) => !isFirst(work)),
        growthRounds,
        [animals, manyAnimals]
      )
    ),
    transfer: await chosen("transfer", () => Transfer.run(progress, ours, manyAnimals)),
    observability: await chosen("observability", () =>
      Observing.run(load, progress, ours, allWorks, growthRounds, animals)
    ),
    postgres: await chosen("postgres", () =>
      Postgres.run(load, progress, ours, options.rounds, animals)
    ),
    failures
  }
}

/** Starts and works of the service and its peers, on SQLite. */
const comparePeers = async (
  { options, ours, servers, works }: Plan,
  progress: Progress.Progress
): Promise<Pick<Findings, "samples" | "starts" | "commandMillis" | "loadedMegabytes">> => {
  const { animals } = options
  const databases = new Map([
    ...(await seedAlike(servers.slice(1), animals)),
    [ours.name, await seed(ours, ours.name, animals)]
  ])
  const { running, ...starts } = await Starts.run(progress, servers, databases, options.starts)
  try {
    for (const each of running) await verify(each)
    const samples = await Rounds.run(load, progress, running, works, options.rounds, animals)
    const loadedMegabytes = Object.fromEntries(
      running.map(({ pid, server }) => [server.name, residentMegabytes(pid)])
    )
    return { samples, ...starts, loadedMegabytes }
  } finally {
    await Promise.all(running.map(({ stop }) => stop()))
  }
}

const report = ({ options, ours, servers, works }: Plan, findings: Findings): boolean => {
  const { failures } = findings
  const goals = Goals.judge(findings)
  const tables = [
    Table.ofWorks(findings, works, servers),
    Table.ofStarts(findings),
    ...(findings.growth === undefined ? [] : [Table.ofGrowth(findings.growth)]),
    ...(findings.observability === undefined
      ? []
      : [Table.ofObservability(findings.observability)]),
    ...(findings.postgres === undefined ? [] : [Table.ofPostgres(findings.postgres, ours)]),
    ...(findings.transfer === undefined ? [] : [Table.ofTransfer(findings.transfer)]),
    Table.ofGoals(goals)
  ]
  const folder = join(home, "results")
  const isWhole = options.whole && failures.length === 0 && servers.length === 1 + peers.length
  const name = isWhole ? "bench" : "partial"
  mkdirSync(folder, { recursive: true })
  const { rounds, animals } = options
  const settings = { load: load.name, connections, seconds, rounds, animals }
  writeFileSync(join(folder, `${name}.json`), toJson(findings, goals, settings))
  writeFileSync(join(folder, `${name}.svg`), Chart.draw(findings, works, servers))
  process.stdout.write(
    `${load.name}, ${connections} connections, ${animals} animals, median of ${rounds} rounds\n\n` +
      `${tables.filter((table) => table !== "").join("\n\n")}\n\n` +
      `written to results/${name}.json and results/${name}.svg\n`
  )
  for (const failure of failures) process.stderr.write(`FAILED  ${failure}\n`)
  return goals.every(({ held }) => held !== false)
}

const main = async (): Promise<number> => {
  const options = Options.parse(process.argv.slice(2))
  if (options === undefined) {
    process.stdout.write(Options.help)
    return 0
  }
  const planned = plan(options)
  const progress = Progress.make(seconds * 1150, steps(planned))
  const findings = await withFolder(() => run(planned, progress)).finally(progress.end)
  const held = report(planned, findings)
  return findings.failures.length === 0 && (held || !options.strict) ? 0 : 1
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exit(1)
  }
)
