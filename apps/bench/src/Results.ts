/** What a run found, and the comparisons that follow from it. */
import { cpus } from "node:os"
import type { Growth } from "./Growth.ts"
import type { Cost } from "./Observing.ts"
import { median, type Sample } from "./Rounds.ts"
import { ours } from "./Servers.ts"
import type { Start } from "./Starts.ts"
import type { Transfer } from "./Transfer.ts"

export interface Findings {
  readonly samples: ReadonlyArray<Sample>
  readonly starts: ReadonlyArray<Start>
  /** How long `petstore keys list` takes. */
  readonly commandMillis: number
  /** Resident memory of each server after all the load. */
  readonly loadedMegabytes: Readonly<Record<string, number>>
  readonly growth: Growth | undefined
  readonly transfer: Transfer | undefined
  readonly observability: ReadonlyArray<Cost> | undefined
  /** The service and Fastify, both on one PostgreSQL. */
  readonly postgres: Sampled | undefined
  /** The parts that failed, and why. */
  readonly failures: ReadonlyArray<string>
}

export type Figure = "requestsPerSecond" | "cpuMicros" | "p99Millis"

/** Samples of some servers on some works. */
export type Sampled = Pick<Findings, "samples">

const figures = ({ samples }: Sampled, work: string, server: string, figure: Figure) =>
  samples
    .filter((sample) => sample.work === work && sample.server === server)
    .map((sample) => sample[figure])

/** The median of a figure over the rounds; not a number where the server did not take part. */
export const typical = (findings: Sampled, work: string, server: string, figure: Figure) =>
  median(figures(findings, work, server, figure))

/** The median over the rounds of one server's figure divided by another's of the same round. */
export const ratio = (
  findings: Sampled,
  work: string,
  figure: Figure,
  above: string,
  below: string
): number => {
  const belows = figures(findings, work, below, figure)
  const aboves = figures(findings, work, above, figure)
  if (belows.length === 0) return Number.NaN
  return median(aboves.map((value, round) => value / (belows[round] ?? Number.NaN)))
}

/** How many times as much the service does as a peer. */
export const ratioOfOurs = (findings: Sampled, work: string, figure: Figure, peer: string) =>
  ratio(findings, work, figure, ours, peer)

/** Everything, as it is written to a file. */
export const toJson = (
  findings: Findings,
  goals: ReadonlyArray<unknown>,
  settings: Readonly<Record<string, unknown>>
): string => {
  const processors = cpus()
  const run = {
    date: new Date().toISOString().slice(0, 10),
    node: process.version,
    cores: processors.length,
    processor: processors[0]?.model ?? "unknown",
    ...settings
  }
  const withMedians = (found: Sampled | undefined) => found && { medians: medians(found), ...found }
  const everything = {
    run,
    goals,
    ...withMedians(findings),
    postgres: withMedians(findings.postgres)
  }
  return `${JSON.stringify(everything, rounded, 2)}\n`
}

const rounded = (_: string, value: unknown) =>
  typeof value === "number" ? Math.round(value * 1000) / 1000 : value

/** One line for each work and server. */
const medians = (findings: Sampled) => {
  const { samples } = findings
  return samples
    .filter(({ round }) => round === 1)
    .map(({ work, server }) => ({
      work,
      server,
      requestsPerSecond: typical(findings, work, server, "requestsPerSecond"),
      cpuMicros: typical(findings, work, server, "cpuMicros"),
      p99Millis: typical(findings, work, server, "p99Millis"),
      oursToIt: ratioOfOurs(findings, work, "requestsPerSecond", server)
    }))
}
