/** The goals, and whether they are held. */
import type { Growth } from "./Growth.ts"
import * as Postgres from "./Postgres.ts"
import { type Findings, ratioOfOurs, type Sampled, typical } from "./Results.ts"
import { fastify, ours, peers } from "./Servers.ts"
import { isFirst, works } from "./Works.ts"

export interface Goal {
  readonly goal: string
  readonly figures: string
  /** `undefined` where the run left out what the goal is about. */
  readonly held: boolean | undefined
}

const atLeast: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  fastify: { list20: 3, status: 2.8, list100: 6, get: 1, create: 2, mixed: 2.2 },
  elysia: { list20: 1.15, status: 1.15, list100: 1.8, create: 1.4, mixed: 1 },
  floor: { list20: 0.7 }
}
/** Of Fastify with pg, on the same PostgreSQL. */
const atLeastOnPostgres = { create: 2, list20: 2.5, status: 2.5, get: 2, pages: 2.2 }
const growthAtMost = 1.15
/** Of Fastify's, to the first response after the process starts. */
const startAtMost = 1.15
const loadedBelowMegabytes = 150

export const judge = (findings: Findings): ReadonlyArray<Goal> => [
  ...Object.entries(atLeast).flatMap(([peer, ratios]) =>
    Object.entries(ratios).map(([work, least]) => speed(findings, work, peer, least))
  ),
  ...works.filter((work) => !isFirst(work)).map((work) => latency(findings, work.id, work.title)),
  ...(findings.growth === undefined ? [] : growth(findings.growth)),
  ...(findings.postgres === undefined ? [] : onPostgres(findings.postgres)),
  ...rest(findings)
]

const judged = (goal: string, figure: number, held: boolean, figures: string): Goal =>
  Number.isNaN(figure) ? { goal, figures: "not run", held: undefined } : { goal, figures, held }

const title = (server: string) => peers.find(({ name }) => name === server)?.title ?? server

const speed = (findings: Sampled, work: string, peer: string, least: number, where = ""): Goal => {
  const ratio = ratioOfOurs(findings, work, "requestsPerSecond", peer)
  const cpu = 1 / ratioOfOurs(findings, work, "cpuMicros", peer)
  const name = [...works, ...Postgres.works].find(({ id }) => id === work)?.title ?? work
  return judged(
    `${name}${where}: at least ${least}× the requests/s of ${title(peer)}`,
    ratio,
    ratio >= least,
    `${ratio.toFixed(2)}× (by CPU per request ${cpu.toFixed(2)}×)`
  )
}

const onPostgres = (found: Sampled): ReadonlyArray<Goal> =>
  Object.entries(atLeastOnPostgres).map(([work, least]) =>
    speed(found, work, fastify, least, " on PostgreSQL")
  )

const latency = (findings: Findings, work: string, name: string): Goal => {
  const mine = typical(findings, work, ours, "p99Millis")
  const theirs = typical(findings, work, fastify, "p99Millis")
  return judged(
    `${name}: p99 not above Fastify's`,
    mine - theirs,
    mine <= theirs,
    `${mine.toFixed(1)} ms against ${theirs.toFixed(1)} ms`
  )
}

const growth = ({ few, many, works, walk }: Growth): ReadonlyArray<Goal> => {
  const percent = (growthAtMost - 1) * 100
  return [...works, walk].map((change) =>
    judged(
      change === walk
        ? `the last page of a walk costs what the first did, within ${percent.toFixed(0)} %`
        : `${change.what}: at most ${percent.toFixed(0)} % more CPU at ${many} animals than at ${few}`,
      change.ratio,
      change.ratio <= growthAtMost,
      `${change.ratio.toFixed(2)}× (${change.before.toFixed(0)} µs, then ${change.after.toFixed(0)} µs)`
    )
  )
}

const rest = ({ loadedMegabytes, starts }: Findings): ReadonlyArray<Goal> => {
  const megabytes = loadedMegabytes[ours] ?? Number.NaN
  return [
    start(starts, ours, startAtMost),
    start(starts, "memory", 1),
    judged(
      `memory after load under ${loadedBelowMegabytes} MB`,
      megabytes,
      megabytes < loadedBelowMegabytes,
      `${megabytes.toFixed(0)} MB`
    )
  ]
}

const start = (starts: Findings["starts"], server: string, most: number): Goal => {
  const millisOf = (name: string) =>
    starts.find(({ server }) => server === name)?.startMillis ?? Number.NaN
  const [mine, theirs] = [millisOf(server), millisOf(fastify)]
  const where = server === ours ? "" : " in memory"
  return judged(
    `first response after the start${where}: at most ${most}× Fastify's time`,
    mine - theirs,
    mine <= most * theirs,
    `${mine.toFixed(0)} ms against ${theirs.toFixed(0)} ms`
  )
}
