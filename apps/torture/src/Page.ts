/** The figures of `docs/reliability-figures.tsv`, a row for each experiment and database. */
import { readFileSync, writeFileSync } from "node:fs"
import type { Experiment } from "./Experiment.ts"
import { type Result, textOf } from "./Runner.ts"

const page = new URL("../../../../docs/reliability-figures.tsv", import.meta.url)
const figures = ["experiment", "database", "result", "seconds", "seed"]
const texts = ["what is attacked", "seen at least", "its control"]

/** Writes what experiments do, and these results, which all came out as they must; the results of others stay. */
export const write = (
  experiments: ReadonlyArray<Experiment>,
  results: ReadonlyArray<Result>,
  seed: number
): void => {
  const published = new Map<string, ReadonlyArray<string>>()
  const publish = (cells: ReadonlyArray<string>) =>
    published.set(cells.slice(0, 2).join(" "), cells)
  for (const line of readFileSync(page, "utf8").split("\n"))
    publish(line.split("\t").slice(0, figures.length))
  for (const { control, database, experiment, figures, seconds } of results) {
    if (control !== undefined) continue
    publish([experiment.name, database, textOf(figures), `${Math.round(seconds)}`, `${seed}`])
  }
  const rows = experiments.flatMap(({ attack, controls, databases, least, name }) =>
    databases.map((database) => [
      ...(published.get(`${name} ${database}`) ?? [name, database, "", "", ""]),
      ...[attack, textOf(least), controls.map(({ broken }) => broken).join("; or ")]
    ])
  )
  const lines = [[...figures, ...texts], ...rows].map((row) => `${row.join("\t")}\n`)
  writeFileSync(page, lines.join(""))
}
