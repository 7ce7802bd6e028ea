/** Callers that misbehave, and honest ones beside them. */
import { Worker } from "node:worker_threads"
import * as Effect from "effect/Effect"
import * as Attackers from "../attackers.ts"
import type { Experiment } from "../Experiment.ts"
import { quantile } from "../Figures.ts"
import * as Load from "../Load.ts"
import * as Process from "../Process.ts"
import * as Service from "../Service.ts"
import * as Storage from "../Storage.ts"
import * as Wait from "../Wait.ts"
import * as Wire from "../Wire.ts"

const honestCallers = 8
const pauseMillis = 5
const pagePauseMillis = 250
/** A hundred of the longest names: a page has 300 KB. */
const longName = "犬".repeat(1000)
const read = Wire.request("GET /v1/pets/1")
const add = Wire.request("POST /v1/pets", { name: "honest", categoryId: 1 })
const page = Wire.request("GET /v1/pets?limit=100")
/** The memory that the service may use, however its answers are read. */
const maxMegabytes = 512

interface Options extends Pick<Experiment, "name" | "databases"> {
  readonly kinds: Attackers.Kinds
  /** What is broken in the control, and the settings that break it. */
  readonly broken: string
  readonly settings: Readonly<Record<string, string>>
  /** The p99 of honest callers with attackers, as a multiple of that without, and of at least this many milliseconds. */
  readonly maxRatio: number
  readonly leastMillis: number
  /** Whether half of the honest callers use a new connection for each request. */
  readonly connectsAnew: boolean
}

/** Honest callers read and add pets, on kept and on new connections, beside callers of these kinds. */
const beside = ({ broken, databases, kinds, name, ...options }: Options): Experiment => ({
  name,
  databases,
  attack: `${Object.entries(kinds)
    .map(([kind, many]) => `${many} ${kind}`)
    .join(", ")} callers beside honest ones`,
  needs: ["Linux"],
  seconds: 6,
  retries: 2,
  least: { "honest requests": 100, "of long pages": 3 },
  controls: [{ broken }],
  run: ({ count, database, isControl, note, random, seconds, wrong }) =>
    Effect.gen(function* () {
      const { url } = yield* Storage.make(database)
      const env = { ...(isControl && options.settings), PETSTORE_SEND_TIMEOUT_SECONDS: "2" }
      const service = yield* Service.started({ url, env })
      const { port } = service
      const fill = Effect.promise(() => Load.add(port, { name: longName, categoryId: 1 }))
      yield* Effect.replicateEffect(fill, 100, { concurrency: 20, discard: true })
      /** When requests began and ended, since the last measurement. */
      let asked: Array<{ readonly began: number; ended?: number }> = []
      let isOver = false

      /** One request: whether the connection can be used again. */
      const ask = async (connection: Wire.Connection, request: string) => {
        const own: (typeof asked)[number] = { began: performance.now() }
        if (request === page) count("of long pages")
        else asked.push(own)
        try {
          connection.socket.write(request)
          const { headers, status } = await connection.read()
          count("honest requests")
          if (status !== 200 && status !== 201) wrong(`an honest request got ${status}`)
          return headers.get("connection") !== "close"
        } catch (error) {
          wrong(`${error} (${request.slice(0, request.indexOf("\r"))})`)
          return false
        } finally {
          own.ended = performance.now()
        }
      }
      /** Sends requests in turn, on one connection or on a new one for each. */
      const honest = async (isKept: boolean, pause: number, ...requests: ReadonlyArray<string>) => {
        let connection: Wire.Connection | undefined
        for (let nth = 0; !isOver; nth++) {
          connection ??= Wire.open(port)
          const isUsable = await ask(connection, requests[nth % requests.length] ?? "")
          if (!isUsable || !isKept) {
            connection.socket.destroy()
            connection = undefined
          }
          await Wait.pause(pause)
        }
        connection?.socket.destroy()
      }
      const work = Promise.all([
        ...Array.from({ length: honestCallers }, (_, nth) =>
          honest(!options.connectsAnew || nth % 2 === 0, pauseMillis, read, read, read, add)
        ),
        honest(false, pagePauseMillis, page)
      ])
      /** The p99 for this long, with requests that still wait. */
      const p99 = (millis: number) =>
        Effect.gen(function* () {
          asked = []
          yield* Effect.sleep(millis)
          const now = performance.now()
          return quantile(
            asked.map(({ began, ended = now }) => ended - began),
            0.99
          )
        })
      const workerData: Attackers.Target = { port, kinds, seed: random.below(2 ** 31) }
      const attackers = Effect.acquireRelease(
        Effect.sync(() => new Worker(new URL("../attackers.js", import.meta.url), { workerData })),
        (worker) => Effect.promise(() => worker.terminate())
      )
      const without = yield* p99(seconds * 400)
      const withAttackers = yield* attackers.pipe(
        // Until they have connected.
        Effect.zipRight(Effect.sleep("1 second")),
        Effect.zipRight(p99(seconds * 600)),
        Effect.scoped
      )
      isOver = true
      yield* Effect.promise(() => work)
      const p99s = `${without.toFixed(1)} alone, ${withAttackers.toFixed(1)} beside attackers`
      const megabytes = Math.round(Process.megabytes(service, "VmHWM"))
      note({ "p99 in ms": p99s, "memory in MB": megabytes })
      if (megabytes >= maxMegabytes) wrong(`the service used ${megabytes} MB`)
      if (withAttackers > Math.max(options.leastMillis, without) * options.maxRatio)
        wrong(`the p99 of honest callers in ms is ${p99s}`)
    })
})

export const callers = beside({
  name: "callers",
  databases: ["sqlite"],
  kinds: { slow: 160, deaf: 8, resetting: 8, flooding: 4 },
  maxRatio: 30,
  leastMillis: 20,
  connectsAnew: true,
  broken: "a limit of 100 connections, which the attackers use up",
  settings: { PETSTORE_MAX_CONNECTIONS: "100" }
})

export const readers = beside({
  name: "readers",
  databases: ["sqlite", "postgres"],
  kinds: { abandoning: 150, dawdling: 8, deaf: 100 },
  maxRatio: 3,
  leastMillis: 100,
  // New ones wait to be accepted behind those that are abandoned.
  connectsAnew: false,
  broken: "a limit of two requests at a time, which the attackers use up",
  settings: { PETSTORE_MAX_IN_FLIGHT: "2" }
})
