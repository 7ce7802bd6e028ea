/** Which modules the built program loads. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect } from "@effect/vitest"
import * as SharedPostgres from "@petstore/local-postgres/support/SharedPostgres"
import { Effect } from "effect"
import { collector } from "../support/Collector.ts"
import { type Environment, folder, live } from "../support/Folder.ts"
import { call, measuredBy, serviceBy } from "../support/Observed.ts"
import * as Process from "../support/Process.ts"

/** The modules that a server had loaded when it ended, by Node's own account of what ran. */
const loaded = (starting: typeof serviceBy | typeof measuredBy, environment: Environment = {}) =>
  Effect.gen(function* () {
    const reports = yield* folder
    const { program, url } = yield* starting(Process.start)({
      ...environment,
      NODE_V8_COVERAGE: reports
    })
    yield* call(url, "/v1/pets")
    const { code } = yield* Effect.promise(() => program.stop("SIGTERM"))
    expect(code).toBe(0)
    const text = readdirSync(reports).map((file) => readFileSync(join(reports, file), "utf8"))
    const urls = [...text.join("\n").matchAll(/"url":"(file:[^"]*)"/g)].map(([, url = ""]) => url)
    expect(urls.some((url) => url.endsWith("/dist/main.js"))).toBe(true)
    const isLoaded = (pattern: RegExp) => urls.some((url) => pattern.test(url))
    return {
      metrics: isLoaded(/\/dist\/Metrics-\w+\.js$/),
      postgres: isLoaded(/\/dist\/Postgres\w+-\w+\.js$/),
      promClient: urls.some(
        (url) =>
          url.includes("/dist/") &&
          readFileSync(fileURLToPath(url), "utf8").includes("AggregatorRegistry")
      ),
      tracing: isLoaded(/\/dist\/Tracing-\w+\.js$/)
    }
  })

live("a service loads what is optional only if it is configured", function* () {
  const none = { metrics: false, postgres: false, promClient: false, tracing: false }
  const { url } = yield* collector()
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: url }
  expect(yield* loaded(serviceBy, { ...endpoint, OTEL_SDK_DISABLED: "true" })).toEqual(none)
  const both = { ...endpoint, DATABASE_URL: yield* SharedPostgres.database }
  expect(yield* loaded(serviceBy, both)).toEqual({ ...none, tracing: true, postgres: true })
  expect(yield* loaded(measuredBy)).toEqual({ ...none, metrics: true, promClient: true })
})
