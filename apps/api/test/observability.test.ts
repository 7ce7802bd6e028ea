/** The guide to observability and the dashboard name what the built program has, and all of it. */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import { parser } from "@prometheus-io/lezer-promql"
import { Effect, Schema } from "effect"
import { folder } from "./support/Folder.ts"
import { add, call, connection, measuredBy } from "./support/Observed.ts"
import { start } from "./support/Process.ts"
import { createKey } from "./support/Stock.ts"

const read = (name: string) =>
  readFileSync(new URL(`../../../docs/${name}`, import.meta.url), "utf8")

/** The cells of the rows below this heading whose first cell is code. */
const rowsOf = (heading: string): ReadonlyArray<ReadonlyArray<string>> => {
  const [, section = ""] = read("observability.md").split(`\n## ${heading}\n`)
  const [own = ""] = section.split("\n## ")
  return own
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .map(([, ...cells]) => cells)
}

const words = (cell = "") => [...cell.matchAll(/`([^`]+)`/g)].map(([, word]) => word)

/** A service that has done some of everything. */
const busy = Effect.gen(function* () {
  const path = yield* folder
  const { key: mine } = yield* createKey(path)
  const service = yield* measuredBy(start)(
    { LOG_REQUESTS: "all", PETSTORE_WORKERS: "2" },
    Effect.succeed(path)
  )
  const { program, read, url } = service
  yield* add(url)
  yield* call(url, "/v1/pets", { key: mine })
  yield* call(url, "/v1/pets", { key: null })
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"
  yield* call(url, "/v1/pets/7", { headers: { traceparent } })
  yield* connection(url, "this is not HTTP\r\n\r\n")
  yield* Effect.promise(() => program.until(/malformed request 400/))
  return { ...service, metrics: yield* read }
})

describe.concurrent("the guide to observability", () => {
  it.scopedLive("has all metrics with their labels, and no others", () =>
    Effect.gen(function* () {
      const { metrics } = yield* busy
      const exported = [...metrics.values()]
        .filter(({ name }) => name.startsWith("petstore_"))
        .map(({ name, samples }) => {
          const labels = samples.flatMap((sample) => Object.keys(sample.labels))
          return [name, [...new Set(labels)].filter((label) => label !== "le").sort()]
        })
      const described = rowsOf("Metrics").map(([name, labels]) => [
        words(name)[0],
        words(labels).sort()
      ])
      expect(described.sort()).toEqual(exported.sort())
      const named = words(read("observability.md")).filter((word) =>
        /^(?:nodejs|process)_/.test(word ?? "")
      )
      expect(named.filter((name) => !metrics.has(name ?? ""))).toEqual([])
    })
  )

  it.scopedLive("has all fields of the log, in their order", () =>
    Effect.gen(function* () {
      const { program } = yield* busy
      const lines = program.stdout.split("\n").filter((line) => line.includes('"durationMs"'))
      const fields = new Set(lines.flatMap((line) => Object.keys(JSON.parse(line))))
      const described = rowsOf("Log").map(([name]) => words(name)[0])
      expect([...described].sort()).toEqual([...fields].sort())
      const [, example = ""] = /```jsonl\n(.*)\n```/.exec(read("observability.md")) ?? []
      const shown = Object.keys(JSON.parse(example))
      expect(described.filter((name) => name !== "keyRefusal")).toEqual(shown)
    })
  )
})

const Dashboard = Schema.parseJson(
  Schema.Struct({
    panels: Schema.Array(
      Schema.Struct({
        id: Schema.Number,
        title: Schema.String,
        targets: Schema.Array(Schema.Struct({ expr: Schema.String, legendFormat: Schema.String }))
      })
    ),
    templating: Schema.Struct({ list: Schema.Array(Schema.Struct({ name: Schema.String })) })
  })
)

/** What a query names. Grafana's variables are values of Prometheus by then. */
const namesIn = (query: string) => {
  const text = query.replaceAll("$__rate_interval", "5m")
  const found = { metrics: new Set<string>(), labels: new Set<string>(), errors: 0 }
  parser.parse(text).iterate({
    enter: ({ from, name, to, type }) => {
      if (type.isError) found.errors++
      if (name === "Identifier") found.metrics.add(text.slice(from, to))
      if (name === "LabelName") found.labels.add(text.slice(from, to))
    }
  })
  return found
}

it.scopedLive("the dashboard asks for metrics and labels that there are", () =>
  Effect.gen(function* () {
    const { metrics } = yield* busy
    const { panels, templating } = yield* Schema.decode(Dashboard)(read("grafana-dashboard.json"))
    const samples = [...metrics.values()].flatMap((family) => family.samples)
    const shown = new Set<string>()
    for (const { targets, title } of panels) {
      expect(targets.length).toBeGreaterThan(0)
      for (const { expr, legendFormat } of targets) {
        const { errors, labels, metrics: names } = namesIn(expr)
        expect([title, errors, names.size > 0]).toEqual([title, 0, true])
        for (const name of names) {
          const own = samples.filter((sample) => sample.name === name)
          expect([title, name, own.length > 0]).toEqual([title, name, true])
          const known = ["instance", ...own.flatMap((sample) => Object.keys(sample.labels))]
          const used = [
            ...labels,
            ...[...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label)
          ]
          expect(used.filter((label) => !known.includes(label ?? ""))).toEqual([])
          shown.add(name.replace(/_(?:bucket|sum|count)$/, ""))
        }
        const variables = [...expr.matchAll(/\$(?!__)(\w+)/g)].map(([, variable]) => variable)
        const declared = templating.list.map(({ name }) => name)
        expect(variables.filter((variable) => !declared.includes(variable ?? ""))).toEqual([])
      }
    }
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    const ours = [...metrics.keys()].filter((name) => name.startsWith("petstore_"))
    expect(ours.filter((name) => !shown.has(name))).toEqual([])
  })
)

it("a query with an error is noticed", () => {
  expect(namesIn("sum(rate(petstore_pets[5m])").errors).toBeGreaterThan(0)
})
