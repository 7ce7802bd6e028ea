/** What the log of requests, metrics and traces cost, each compared with the service without it. */
import { once } from "node:events"
import { createServer } from "node:http"
import { type Change, compare } from "./Comparison.ts"
import type { Generator } from "./Load.ts"
import { start } from "./Process.ts"
import type { Progress } from "./Progress.ts"
import { seed } from "./Seed.ts"
import { type Server, withEnvironment } from "./Servers.ts"
import type { Work } from "./Works.ts"

/** The cost of one of them. */
export interface Cost {
  readonly what: string
  readonly works: ReadonlyArray<Change>
}

const measured = ["list20", "get", "create"]
const variants = 5

/** How many steps the progress line will show. */
export const steps = (rounds: number): number => variants * measured.length * 2 * (rounds + 2)

export const run = async (
  generator: Generator,
  progress: Progress,
  service: Server,
  works: ReadonlyArray<Work>,
  rounds: number,
  animals: number
): Promise<ReadonlyArray<Cost>> => {
  const collector = createServer((request, response) => {
    request.resume().once("end", () => response.end())
  }).listen(0, "127.0.0.1")
  await once(collector, "listening")
  const address = collector.address()
  const port = typeof address === "object" ? address?.port : undefined
  const log = { LOG_LEVEL: "info", LOG_REQUESTS: "all" }
  const metrics = { PETSTORE_METRICS_PORT: "0" }
  const traces = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` }
  const environments = {
    "log of requests": log,
    metrics,
    traces,
    "traces of 1 in 100": {
      ...traces,
      OTEL_TRACES_SAMPLER: "traceidratio",
      OTEL_TRACES_SAMPLER_ARG: "0.01"
    },
    "all three": { ...log, ...metrics, ...traces }
  }
  const costs: Array<Cost> = []
  try {
    for (const [index, [what, environment]] of Object.entries(environments).entries()) {
      const watched = withEnvironment(service, what, () => environment)
      const plain = await start(service, await seed(service, `plain${index}`, animals))
      const running = await start(watched, await seed(service, `watched${index}`, animals))
      const changes: Array<Change> = []
      try {
        for (const id of measured) {
          const work = works.find((one) => one.id === id)
          if (work === undefined) throw new Error(`there is no work ${id}`)
          changes.push({
            ...(await compare(
              generator,
              progress,
              { what: `${what}: ${work.title}`, isFirst: id === measured[0], rounds },
              { running: plain, work, animals },
              { running, work, animals }
            )),
            what: work.title
          })
        }
      } finally {
        await Promise.all([plain.stop(), running.stop()])
      }
      costs.push({ what, works: changes })
    }
  } finally {
    collector.close()
    collector.closeAllConnections()
  }
  return costs
}
