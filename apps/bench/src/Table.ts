/** The findings as text. */
import type { Goal } from "./Goals.ts"
import type { Growth } from "./Growth.ts"
import type { Cost } from "./Observing.ts"
import * as Postgres from "./Postgres.ts"
import { type Findings, ratioOfOurs, type Sampled, typical } from "./Results.ts"
import { onPostgres, ours, type Server } from "./Servers.ts"
import type { Transfer } from "./Transfer.ts"
import type { Work } from "./Works.ts"

type Row = ReadonlyArray<string>

const rounded = (value: number) => Math.round(value).toLocaleString("en-US")
const times = (value: number) => (Number.isNaN(value) ? "" : `${value.toFixed(2)}×`)

/** The first column to the left, numbers to the right. */
const align = (rows: ReadonlyArray<Row>): string => {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0))
  )
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart((widths[column] ?? 0) + 3)
        )
        .join("")
        .trimEnd()
    )
    .join("\n")
}

/** One table for each work: what each server did, and how many times better ours is. */
export const ofWorks = (
  findings: Sampled,
  works: ReadonlyArray<Work>,
  servers: ReadonlyArray<Server>
): string =>
  works
    .map((work) => {
      const rows = servers.flatMap(({ name, title }): ReadonlyArray<Row> => {
        const speed = typical(findings, work.id, name, "requestsPerSecond")
        if (Number.isNaN(speed)) return []
        const isOurs = name === ours
        return [
          [
            `  ${title}`,
            rounded(speed),
            isOurs ? "" : times(ratioOfOurs(findings, work.id, "requestsPerSecond", name)),
            typical(findings, work.id, name, "cpuMicros").toFixed(1),
            isOurs ? "" : times(1 / ratioOfOurs(findings, work.id, "cpuMicros", name)),
            typical(findings, work.id, name, "p99Millis").toFixed(2)
          ]
        ]
      })
      const header = [work.title, "requests/s", "ours is", "CPU µs/request", "ours is", "p99 ms"]
      return align([header, ...rows])
    })
    .join("\n\n")

export const ofStarts = (findings: Findings): string =>
  align([
    ["start and memory", "first response ms", "idle MB", "after load MB"],
    ...findings.starts.map(({ server, title, startMillis, idleMegabytes }) => {
      const { [server]: loaded } = findings.loadedMegabytes
      return [
        `  ${title}`,
        rounded(startMillis),
        rounded(idleMegabytes),
        loaded === undefined ? "" : rounded(loaded)
      ]
    }),
    ["  petstore keys list", rounded(findings.commandMillis)]
  ])

export const ofGrowth = ({ few, many, works, walk, ...memory }: Growth): string => {
  const { idleMegabytes: idle, loadedMegabytes: loaded } = memory
  const row = (what: string, before: number, after: number, ratio: number): Row => [
    `  ${what}`,
    before.toFixed(1),
    after.toFixed(1),
    times(ratio)
  ]
  return [
    align([
      ["growth of ours", `${rounded(few)} animals`, `${rounded(many)} animals`, "grows to"],
      ...works.map(({ what, before, after, ratio }) =>
        row(`${what}, CPU µs/request`, before, after, ratio)
      ),
      row("idle MB", idle.few, idle.many, idle.many / idle.few),
      row("MB after load", loaded.few, loaded.many, loaded.many / loaded.few)
    ]),
    align([
      [`a walk through ${rounded(many)} animals`, "first page", "last page", "grows to"],
      row("CPU µs/request", walk.before, walk.after, walk.ratio)
    ])
  ].join("\n\n")
}

export const ofObservability = (costs: ReadonlyArray<Cost>): string =>
  align([
    ["CPU µs/request of ours", "without", "with", "grows to"],
    ...costs.flatMap(({ what, works }) =>
      works.map((change) => [
        `  ${what}: ${change.what}`,
        change.before.toFixed(1),
        change.after.toFixed(1),
        times(change.ratio)
      ])
    )
  ])

export const ofPostgres = (found: Sampled, service: Server): string =>
  [
    "On PostgreSQL, which uses the same cores: its CPU is not in the CPU of a request.",
    ofWorks(found, Postgres.works, onPostgres(service))
  ].join("\n\n")

export const ofTransfer = ({ animals, formats }: Transfer): string =>
  align([
    [`${rounded(animals)} animals, seconds`, "export", "import"],
    ...formats.map(({ format, exportSeconds, importSeconds }) => [
      `  ${format}`,
      exportSeconds.toFixed(1),
      importSeconds.toFixed(1)
    ])
  ])

export const ofGoals = (goals: ReadonlyArray<Goal>): string => {
  const judged = goals.filter(({ held }) => held !== undefined)
  const held = judged.filter((goal) => goal.held).length
  const left = goals.length - judged.length
  const width = Math.max(0, ...judged.map(({ goal }) => goal.length))
  return [
    `goals: ${held} of ${judged.length} held${left === 0 ? "" : `, ${left} not run`}`,
    ...judged.map(
      (goal) => `  ${goal.held ? "held  " : "MISSED"}  ${goal.goal.padEnd(width)}   ${goal.figures}`
    )
  ].join("\n")
}
