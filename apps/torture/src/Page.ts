/** The table of `docs/reliability-figures.md`. */
import { readFileSync, writeFileSync } from "node:fs"
import type { Experiment } from "./Experiment.ts"
import { type Result, textOf } from "./Runner.ts"

const page = new URL("../../../../docs/reliability-figures.md", import.meta.url)
const table = /(<!-- figures -->\n)[\s\S]*?(<!-- end -->)/
const heads = ["experiment", "on", "result", "seconds", "seed"]
const headsOfTexts = ["what is attacked", "seen at least", "its control"]

/** Writes what experiments do, and these results, which all came out as they must; the results of others stay. */
export const write = (
  experiments: ReadonlyArray<Experiment>,
  results: ReadonlyArray<Result>,
  seed: number
): void => {
  const text = readFileSync(page, "utf8")
  const published = new Map<string, ReadonlyArray<string>>()
  const publish = (cells: ReadonlyArray<string>) =>
    published.set(cells.slice(0, 2).join(" "), cells)
  for (const line of text.matchAll(/^\| `.*\|$/gm)) {
    const cells = line[0].split(/(?<!\\)\|/).map((cell) => cell.trim())
    publish(cells.slice(1, 1 + heads.length))
  }
  for (const { control, database, experiment, figures, seconds } of results) {
    if (control !== undefined) continue
    const result = [textOf(figures), `${Math.round(seconds)}`, `${seed}`]
    publish([`\`${experiment.name}\``, database, ...result])
  }
  const rows = experiments.flatMap(({ attack, controls, databases, least, name }) =>
    databases.map((database) => [
      ...(published.get(`\`${name}\` ${database}`) ?? [`\`${name}\``, database, "", "", ""]),
      ...[attack, textOf(least), controls.map(({ broken }) => broken).join("; or ")]
    ])
  )
  const all = [...heads, ...headsOfTexts]
  const lines = [all, all.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`)
  const written = lines.join("\n")
  writeFileSync(
    page,
    text.replace(table, (_, open, close) => `${open}\n${written}\n\n${close}`)
  )
}
