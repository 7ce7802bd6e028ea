/** Callers that misbehave, and honest ones beside them. */
import { once } from "node:events"
import { Worker } from "node:worker_threads"
import * as Effect from "effect/Effect"
import * as Attackers from "../attackers.ts"
import type { Experiment } from "../Experiment.ts"
import { Counts, quantile } from "../Figures.ts"
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

/** Honest callers read and add pets, on kept and on fresh connections, beside callers of these kinds. */
const beside = (
  kinds: Attackers.Kinds,
  options: Pick<Experiment, "name" | "promise" | "databases" | "control"> & {
    /** The settings of the control. */
    readonly broken: Readonly<Record<string, string>>
    /** The p99 of honest callers with attackers, as a multiple of that without, and of at least this many milliseconds. */
    readonly maxRatio: number
    readonly leastMillis: number
    /** Whether half of the honest callers use a new connection for each request. */
    readonly connectsAnew: boolean
  }
): Experiment => ({
  ...options,
  attack: `${Object.entries(kinds)
    .map(([kind, many]) => `${many} ${kind}`)
    .join(", ")} callers beside honest ones`,
  needs: ["Linux"],
  seconds: 6,
  least: { "honest requests": 100, "of long pages": 3 },
  run: ({ database, isControl, random, seconds, show }) =>
    Effect.gen(function* () {
      const { url } = yield* Storage.make(database)
      const env = { ...(isControl && options.broken), PETSTORE_SEND_TIMEOUT_SECONDS: "2" }
      const service = yield* Service.started({ url, env })
      const { port } = service
      const fill = Effect.promise(() => Load.add(port, { name: longName, categoryId: 1 }))
      yield* Effect.replicateEffect(fill, 100, { concurrency: 20, discard: true })
      const failures = new Counts<string>()
      let answered = 0
      let pages = 0
      /** When requests began and ended, since the last measurement. */
      let asked: Array<{ readonly began: number; ended?: number }> = []
      let isOver = false

      /** One request: whether the connection can be used again. */
      const ask = async (connection: Wire.Connection, request: string) => {
        const own: (typeof asked)[number] = { began: performance.now() }
        if (request === page) pages += 1
        else asked.push(own)
        try {
          connection.socket.write(request)
          const { headers, status } = await connection.read("content")
          answered += 1
          if (status !== 200 && status !== 201) failures.add(`an honest request got ${status}`)
          return headers.get("connection") !== "close"
        } catch (error) {
          const what = request === page ? "a page" : request === add ? "a create" : "a read"
          failures.add(`${error} (${what})`)
          return false
        } finally {
          own.ended = performance.now()
        }
      }
      const honest = async (
        requests: ReadonlyArray<string>,
        isKept: boolean,
        pause = pauseMillis
      ) => {
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
          honest([read, read, read, add], !options.connectsAnew || nth % 2 === 0)
        ),
        honest([page], false, pagePauseMillis)
      ])
      /** Of the requests that began since the last time, also of those that still wait. */
      const p99 = Effect.sync(() => {
        const now = performance.now()
        const times = asked.map(({ began, ended = now }) => ended - began)
        asked = []
        return quantile(times, 0.99)
      })
      const target: Attackers.Target = { port, kinds, seed: random.below(2 ** 31) }
      const attackers = Effect.acquireRelease(
        Effect.sync(
          () => new Worker(new URL("../attackers.js", import.meta.url), { workerData: target })
        ),
        (worker) => Effect.promise(() => worker.terminate())
      )
      const aloneFor = Effect.zipRight(Effect.sleep(seconds * 200), p99)
      const measured = Effect.gen(function* () {
        const before = yield* aloneFor
        const withAttackers = yield* Effect.scoped(
          Effect.gen(function* () {
            const worker = yield* attackers
            // Once each of them has connected.
            yield* Effect.promise(() => once(worker, "message"))
            yield* Effect.sleep(seconds * 600)
            return yield* p99
          })
        )
        // Other programs may take the processor at any time, so the worse of both sides counts.
        const without = Math.max(before, yield* aloneFor)
        const limit = Math.max(options.leastMillis, without) * options.maxRatio
        return { without, withAttackers, isSlow: withAttackers > limit }
      })
      // A busy machine exceeds the limit now and then, a fault of the service every time.
      const { isSlow, withAttackers, without } = yield* Effect.repeat(measured, {
        while: ({ isSlow }) => isSlow,
        times: 2
      })
      isOver = true
      yield* Effect.promise(() => work)
      const p99s = `${without.toFixed(1)} alone, ${withAttackers.toFixed(1)} beside attackers`
      yield* show(`p99 in ms: ${p99s}`)
      const megabytes = Math.round(Process.megabytes(service, "VmHWM"))
      return {
        figures: {
          "honest requests": answered,
          "of long pages": pages,
          failed: failures.total(),
          "p99 in ms": p99s,
          "memory in MB": megabytes
        },
        wrong: [
          ...[...failures].map(([what, many]) => `${what}, ${many} times`),
          ...(megabytes < maxMegabytes ? [] : [`the service used ${megabytes} MB`]),
          ...(isSlow ? [`the p99 of honest callers in ms is ${p99s}`] : [])
        ]
      }
    })
})

export const callers = beside(
  { slow: 160, deaf: 8, resetting: 8, flooding: 4 },
  {
    name: "callers",
    promise:
      "callers that send slowly, do not read, reset or flood do not make an honest caller's request fail, nor the p99 exceed 600 ms or 30 times that without them",
    databases: ["sqlite"],
    maxRatio: 30,
    leastMillis: 20,
    connectsAnew: true,
    control: "a limit of 100 connections, which the attackers use up",
    broken: { PETSTORE_MAX_CONNECTIONS: "100" }
  }
)

export const readers = beside(
  { abandoning: 150, dawdling: 8, deaf: 100 },
  {
    name: "readers",
    promise:
      "callers that abandon long pages, read them slowly or not at all do not make an honest caller's request fail, nor the p99 exceed 120 ms or three times that without them",
    databases: ["sqlite", "postgres"],
    maxRatio: 3,
    leastMillis: 40,
    // New ones wait to be accepted behind those that are abandoned.
    connectsAnew: false,
    control: "a limit of two requests at a time, which the attackers use up",
    broken: { PETSTORE_MAX_IN_FLIGHT: "2" }
  }
)
