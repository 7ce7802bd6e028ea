/** The tables of `docs/reliability.md`. */
import { readFileSync, writeFileSync } from "node:fs"
import type { Experiment } from "./Experiment.ts"
import { figuresOf, type Result } from "./Runner.ts"

const page = new URL("../../../../docs/reliability.md", import.meta.url)

/** Writes what is promised, and the figures of these results, which all came out as they must; those of others stay. */
export const write = (
  experiments: ReadonlyArray<Experiment>,
  results: ReadonlyArray<Result>,
  seed: number
): void => {
  const text = readFileSync(page, "utf8")
  const names = new Set(results.map(({ experiment }) => `\`${experiment.name}\``))
  const others = rowsOf(text, "figures").filter(([name]) => name !== undefined && !names.has(name))
  const order = (name: string | undefined) =>
    experiments.findIndex((one) => `\`${one.name}\`` === name)
  const rows = results.filter(({ isControl }) => !isControl).map((result) => rowOf(result, seed))
  const figures = [...others, ...rows].toSorted(([a], [b]) => order(a) - order(b))
  const promises = experiments.map(({ attack, control = "none", least, name, promise }) => [
    `\`${name}\``,
    promise,
    attack,
    figuresOf({ figures: least }),
    control
  ])
  const withPromises = replace(text, "promises", [
    ["experiment", "what is promised", "how it is attacked", "seen at least", "its control"],
    ...promises
  ])
  const heads = ["experiment", "on", "result", "seconds", "seed"]
  writeFileSync(page, replace(withPromises, "figures", [heads, ...figures]))
}

const rowOf = (result: Result, seed: number) => [
  `\`${result.experiment.name}\``,
  result.database,
  figuresOf(result),
  String(Math.round(result.seconds)),
  String(seed)
]

const between = (name: string) => new RegExp(`(<!-- ${name} -->\n)([^]*?)(\n<!-- end -->)`)

/** The rows of a table, without its head. */
const rowsOf = (text: string, name: string): ReadonlyArray<ReadonlyArray<string>> =>
  (between(name).exec(text)?.[2] ?? "")
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .slice(2)
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim())
    )

/** Replaces a table. */
const replace = (
  text: string,
  name: string,
  [head = [], ...rows]: ReadonlyArray<ReadonlyArray<string>>
): string => {
  const lines = [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`)
  const table = lines.join("\n")
  return text.replace(between(name), (_, open, __, close) => `${open}\n${table}\n${close}`)
}
