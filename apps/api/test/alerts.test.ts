/** The alerts for Prometheus: what they lead to, and, where promtool is installed, when they fire. */
import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, scoped } from "@effect/vitest"
import { Effect } from "effect"
import { stringify } from "yaml"
import * as Alerts from "./support/Alerts.ts"
import { folder } from "./support/Folder.ts"
import * as Markdown from "./support/Markdown.ts"

const promtool = (...args: ReadonlyArray<string>) => {
  const { error, status, stderr, stdout } = spawnSync("promtool", args, { encoding: "utf8" })
  return { isMissing: error !== undefined, status, output: stdout + stderr }
}

const rulesFile = join(Markdown.root, Alerts.path)
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
    const rules = Alerts.rules()
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
      Alerts.rules()
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
