/** The figures of `docs/reliability-figures.tsv`, a row for each experiment and database. */
import { readFileSync, writeFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import type { Experiment } from "./Experiment.ts"
import { type Result, textOf } from "./Runner.ts"

const page = new URL("../../../../docs/reliability-figures.tsv", import.meta.url)
const figures = ["experiment", "database", "result", "seconds", "seed", "run"]
const texts = ["what is attacked", "seen at least", "its control"]

/** Writes what experiments do, and these results, which all came out as they must; the results of others stay. */
export const write = (
  experiments: ReadonlyArray<Experiment>,
  results: ReadonlyArray<Result>,
  seed: number
): void => {
  const published = new Map<string, ReadonlyArray<string>>()
  const run = `${new Date().toISOString().slice(0, 10)}, Node ${process.version} on ${process.arch}, ${availableParallelism()} cores`
  const publish = (cells: ReadonlyArray<string>) =>
    published.set(cells.slice(0, 2).join(" "), cells)
  for (const line of readFileSync(page, "utf8").split("\n"))
    publish(line.split("\t").slice(0, figures.length))
  for (const { control, database, experiment, figures, seconds } of results) {
    if (control !== undefined) continue
    const took = `${Math.round(seconds)}`
    publish([experiment.name, database, textOf(figures), took, `${seed}`, run])
  }
  const rows = experiments.flatMap(({ attack, controls, databases, least, name }) =>
    databases.map((database, nth) => [
      ...(published.get(`${name} ${database}`) ?? [name, database, "", "", "", ""]),
      // Controls run on the first database.
      ...[attack, textOf(least), nth > 0 ? "" : controls.map(({ broken }) => broken).join("; or ")]
    ])
  )
  const lines = [[...figures, ...texts], ...rows].map((row) => `${row.join("\t")}\n`)
  writeFileSync(page, lines.join(""))
}
