/** The guide to observability, the dashboard and the alerts name what the program has, and all of it; when alerts fire, where promtool is installed. */

import { spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, layer, scoped } from "@effect/vitest"
import * as SharedPostgres from "@petstore/local-postgres/support/SharedPostgres"
import { parser } from "@prometheus-io/lezer-promql"
import { Context, Effect, Layer, Schema } from "effect"
import { parse, stringify } from "yaml"
import type { Family } from "./support/Exposition.ts"
import { type Environment, folder } from "./support/Folder.ts"
import * as Markdown from "./support/Markdown.ts"
import { add, call, connection, measured, until } from "./support/Observed.ts"
import { createKey } from "./support/Stock.ts"

/** The path of the alert rules in the repository. */
const alertsPath = "docs/alerts.yml"

const Rule = Schema.Struct({
  alert: Schema.String.pipe(Schema.pattern(/^PetStore[A-Z]\w+$/)),
  expr: Schema.NonEmptyString,
  for: Schema.String.pipe(Schema.pattern(/^\d+[smh]$/)),
  labels: Schema.Struct({ severity: Schema.Literal("critical", "warning") }),
  annotations: Schema.Struct({ summary: Schema.NonEmptyString, runbook: Schema.NonEmptyString })
})

const Rules = Schema.Struct({
  groups: Schema.Tuple(Schema.Struct({ name: Schema.String, rules: Schema.Array(Rule) }))
})

/** All of them. Throws if one lacks something or has something unknown. */
const rulesOfAlerts = (): ReadonlyArray<typeof Rule.Type> => {
  const decode = Schema.decodeUnknownSync(Rules, { onExcessProperty: "error" })
  return decode(parse(Markdown.page(alertsPath).text)).groups[0].rules
}

const promtool = (...args: ReadonlyArray<string>) => {
  const { error, status, stderr, stdout } = spawnSync("promtool", args, { encoding: "utf8" })
  return { isMissing: error !== undefined, status, output: stdout + stderr }
}

const rulesFile = join(Markdown.root, alertsPath)
const count = "petstore_http_request_duration_seconds_count"
const bucket = "petstore_http_request_duration_seconds_bucket"
const instance = 'job="petstore",instance="a"'
const answers = (route: string, status: number) =>
  `${count}{${instance},route="${route}",status="${status}"}`
const buckets = (le: string) => `${bucket}{${instance},method="GET",route="/v1/pets",le="${le}"}`

/** Samples a minute apart, from the time 0 on: of a service that is well. */
const healthy: Readonly<Record<string, string>> = {
  [`up{${instance}}`]: "1x120",
  [`petstore_ready{${instance}}`]: "1x120",
  [answers("/v1/pets", 200)]: "0+1000x120",
  [answers("/v1/pets", 503)]: "0+9x120",
  [answers("/readyz", 503)]: "0+1000x120",
  [buckets("0.5")]: "0+1000x120",
  [buckets("+Inf")]: "0+1009x120",
  [`petstore_postgres_waiting_operations{${instance},pool="primary"}`]: "1x118 0 1",
  [`nodejs_eventloop_lag_p99_seconds{${instance}}`]: "0.1x120",
  'nodejs_eventloop_lag_p99_seconds{job="another"}': "9x120",
  [`petstore_store_free_bytes{${instance}}`]: "2e9x120",
  [`petstore_store_last_backup_timestamp_seconds{${instance}}`]: "0+60x120",
  [`petstore_keys_last_refresh_timestamp_seconds{${instance}}`]: "-14+60x120",
  [`petstore_keys_expiring{${instance}}`]: "0x120"
}

/** What is different when an alert fires. */
const causes: ReadonlyArray<readonly [alert: string, series: Readonly<Record<string, string>>]> = [
  ["PetStoreNotReady", { [`petstore_ready{${instance}}`]: "0x120" }],
  // A scrape that fails leaves no other samples.
  ["PetStoreNotReady", { [`up{${instance}}`]: "0x120", [`petstore_ready{${instance}}`]: "_x120" }],
  ["PetStoreNotReady", { [`petstore_ready{${instance}}`]: "_x120" }],
  // No server is known.
  ["PetStoreNotReady", { [`up{${instance}}`]: "_x120" }],
  ["PetStoreErrors", { [answers("/v1/pets", 503)]: "0+11x120" }],
  ["PetStoreSlow", { [buckets("0.5")]: "0+980x120", [buckets("1")]: "0+1009x120" }],
  [
    "PetStorePoolExhausted",
    { [`petstore_postgres_waiting_operations{${instance},pool="primary"}`]: "1x120" }
  ],
  ["PetStoreEventLoopDelayed", { [`nodejs_eventloop_lag_p99_seconds{${instance}}`]: "0.21x120" }],
  ["PetStoreDiskAlmostFull", { [`petstore_store_free_bytes{${instance}}`]: "9e8x120" }],
  [
    "PetStoreBackupTooOld",
    { [`petstore_store_last_backup_timestamp_seconds{${instance}}`]: "-93601+0x120" }
  ],
  [
    "PetStoreKeyRefreshFailing",
    { [`petstore_keys_last_refresh_timestamp_seconds{${instance}}`]: "-16+60x120" }
  ],
  ["PetStoreKeysExpire", { [`petstore_keys_expiring{${instance}}`]: "1x120" }]
]

describe("the alerts", () => {
  it("have names of their own, and each its section of the runbook", () => {
    const rules = rulesOfAlerts()
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length)
    const links = rules.map(({ annotations }) => annotations.runbook)
    expect(new Set(links).size).toBe(links.length)
    const broken = links.filter((link) => {
      const [path = "", anchor = ""] = link.split("#")
      return !Markdown.anchors(Markdown.page(path)).includes(anchor)
    })
    expect(broken).toEqual([])
  })

  it("have a known cause each", () => {
    const known = new Set(causes.map(([alert]) => alert))
    expect([...known].sort()).toEqual(
      rulesOfAlerts()
        .map(({ alert }) => alert)
        .sort()
    )
  })
})

describe.skipIf(promtool("--version").isMissing)(
  "the alerts, if promtool of Debian's package prometheus is installed",
  () => {
    it("are valid", () => {
      expect(promtool("check", "rules", rulesFile)).toMatchObject({ status: 0 })
    })

    scoped("fire for their cause and for nothing else", () =>
      Effect.gen(function* () {
        const file = join(yield* folder, "test.yml")
        const test = (series: Readonly<Record<string, string>>, firing?: string) => ({
          interval: "1m",
          input_series: Object.entries(series).map(([series, values]) => ({ series, values })),
          promql_expr_test: [
            {
              expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
              eval_time: "2h",
              exp_samples: firing ? [{ labels: `{alertname="${firing}"}`, value: 1 }] : []
            }
          ]
        })
        const tests = [
          test(healthy),
          ...causes.map(([alert, series]) => test({ ...healthy, ...series }, alert))
        ]
        writeFileSync(
          file,
          stringify({ rule_files: [rulesFile], evaluation_interval: "1m", tests })
        )
        expect(promtool("test", "rules", file)).toMatchObject({ status: 0 })
      })
    )
  }
)

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

const isOurs = ({ name }: Family) => name.startsWith("petstore_")

/** A service that has done some of everything, and its log. */
const busy = (environment: Environment, path: string, key?: string) =>
  Effect.gen(function* () {
    const settings = { LOG_REQUESTS: "all", ...environment }
    const { program, read, url } = yield* measured(settings, Effect.succeed(path))
    yield* add(url)
    yield* call(url, "/v1/pets", key === undefined ? {} : { key })
    yield* call(url, "/v1/pets", { key: null })
    const preflight = { Origin: "http://localhost:5173", "Access-Control-Request-Method": "POST" }
    yield* call(url, "/v1/pets", { key: null, method: "OPTIONS", headers: preflight })
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"
    yield* call(url, "/v1/pets/7", { headers: { traceparent } })
    yield* connection(url, "this is not HTTP\r\n\r\n")
    yield* Effect.promise(() => program.until(/malformed request 400/))
    // The hosts of PostgreSQL answer a moment later.
    const metrics = yield* until(read, (metrics) =>
      [...metrics.values()].filter(isOurs).every(({ samples }) => samples.length > 0)
    )
    return { metrics, log: program.stdout }
  })

type Busy = Effect.Effect.Success<ReturnType<typeof busy>>

/** Services on each kind of database that has metrics of its own. */
class Services extends Context.Tag("Services")<
  Services,
  { readonly SQLite: Busy; readonly PostgreSQL: Busy }
>() {}

const services = Layer.scoped(
  Services,
  Effect.all({
    SQLite: Effect.gen(function* () {
      const path = yield* folder
      const { key } = yield* createKey(path)
      return yield* busy({}, path, key)
    }),
    PostgreSQL: Effect.gen(function* () {
      return yield* busy({ DATABASE_URL: yield* SharedPostgres.database }, yield* folder)
    })
  })
)

const exportedBy = ({ metrics }: Busy) =>
  [...metrics.values()].filter(isOurs).map(({ name, samples }) => {
    const labels = samples.flatMap((sample) => Object.keys(sample.labels))
    return [name, [...new Set(labels)].filter((label) => label !== "le").sort()]
  })

const Query = Schema.Struct({ expr: Schema.String, legendFormat: Schema.String })
const Panel = Schema.Struct({
  title: Schema.NonEmptyString,
  targets: Schema.optionalWith(Schema.Array(Query), { default: () => [] })
})
const Row = Schema.Struct({
  ...Panel.fields,
  panels: Schema.optionalWith(Schema.Array(Panel), { default: () => [] })
})
const Dashboard = Schema.parseJson(
  Schema.Struct({
    panels: Schema.Array(Row),
    templating: Schema.Struct({ list: Schema.Array(Schema.Struct({ name: Schema.String })) })
  })
)

const dashboard = () => Schema.decodeSync(Dashboard)(read("grafana-dashboard.json"))

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

/** The metrics that a query names, without Prometheus's own. Each must be there, with the labels that are used. */
const check = (title: string, { expr, legendFormat }: typeof Query.Type, ...of: Array<Busy>) => {
  const samples = of.flatMap(({ metrics }) => [...metrics.values()].flatMap((one) => one.samples))
  const { errors, labels, metrics: names } = namesIn(expr)
  expect([title, errors, names.size > 0]).toEqual([title, 0, true])
  names.delete("up")
  for (const name of names) {
    const own = samples.filter((sample) => sample.name === name)
    expect([title, name, own.length > 0]).toEqual([title, name, true])
    const known = ["instance", "job", ...own.flatMap((sample) => Object.keys(sample.labels))]
    const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = ""]) => label)
    expect([...labels, ...shown].filter((label) => !known.includes(label))).toEqual([])
  }
  return [...names].map((name) => name.replace(/_(?:bucket|sum|count)$/, ""))
}

layer(services, { excludeTestServices: true })((it) => {
  it.effect("the guide has all metrics of each database with their labels, and no others", () =>
    Effect.gen(function* () {
      const { PostgreSQL, SQLite } = yield* Services
      const described = (...without: ReadonlyArray<string>) =>
        rowsOf("Metrics")
          .filter(([, , meaning = ""]) => !without.some((words) => meaning.endsWith(words)))
          .map(([name, labels]) => [words(name)[0], words(labels).sort()])
          .sort()
      expect(described("PostgreSQL only")).toEqual(exportedBy(SQLite).sort())
      expect(described("SQLite only")).toEqual(exportedBy(PostgreSQL).sort())
      const named = words(read("observability.md")).filter((word) =>
        /^(?:nodejs|process)_/.test(word ?? "")
      )
      expect(named.filter((name) => !SQLite.metrics.has(name ?? ""))).toEqual([])
    })
  )

  it.effect("the guide has all fields of the log, in their order", () =>
    Effect.gen(function* () {
      const { SQLite } = yield* Services
      const lines = SQLite.log.split("\n").filter((line) => line.includes('"durationMs"'))
      const fields = new Set(lines.flatMap((line) => Object.keys(JSON.parse(line))))
      const described = rowsOf("Log").map(([name]) => words(name)[0])
      expect([...described].sort()).toEqual([...fields].sort())
      const [, examples = ""] = /```jsonl\n(.*?)\n```/s.exec(read("observability.md")) ?? []
      const shown = examples.split("\n").map((line) => Object.keys(JSON.parse(line)))
      const all = new Set(["keyRefusal", "origin", ...shown.flat()])
      expect(described.filter((name) => !all.has(String(name)))).toEqual([])
      for (const names of shown)
        expect(described.filter((name) => names.includes(String(name)))).toEqual(names)
    })
  )

  it.effect(
    "the dashboard shows all metrics, and asks for none and no labels that there are not",
    () =>
      Effect.gen(function* () {
        const { PostgreSQL, SQLite } = yield* Services
        const { panels, templating } = dashboard()
        const declared = templating.list.map(({ name }) => name)
        const queries = panels
          .flatMap((panel) => [panel, ...panel.panels])
          .flatMap(({ targets, title }) => targets.map((target) => ({ target, title })))
        const shown = queries.flatMap(({ target, title }) => {
          const variables = [...target.expr.matchAll(/\$(?!__)(\w+)/g)].map(([, name = ""]) => name)
          expect(variables.filter((name) => !declared.includes(name))).toEqual([])
          return check(title, target, SQLite, PostgreSQL)
        })
        const ours = [SQLite, PostgreSQL].flatMap(({ metrics }) => [...metrics.values()])
        const names = ours.filter(isOurs).map(({ name }) => name)
        expect(names.filter((name) => !shown.includes(name))).toEqual([])
      })
  )

  it.effect("the alerts ask for metrics and labels that there are", () =>
    Effect.gen(function* () {
      const { PostgreSQL, SQLite } = yield* Services
      const checked = rulesOfAlerts().flatMap(({ alert, annotations, expr }) => {
        const legendFormat = annotations.summary.replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, "{{$1}}")
        return check(alert, { expr, legendFormat }, SQLite, PostgreSQL)
      })
      expect(checked.length).toBeGreaterThan(0)
    })
  )
})
