/** A service whose metrics and traces are watched. */
import { request } from "node:http"
import { createConnection } from "node:net"
import { inspect } from "node:util"
import { Effect, type Scope } from "effect"
import * as Exposition from "./Exposition.ts"
import { type Environment, folder } from "./Folder.ts"
import { start } from "./Program.ts"
import type { Running } from "./Running.ts"

/** A key that the service accepts. */
export const key = "the-key-of-the-tests"

/** What to send; the key is sent unless it is null. */
export interface Call {
  readonly method?: string
  readonly key?: string | null
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** The body of a pet. */
export const rex = JSON.stringify({ name: "Rex", categoryId: 1 })

/** The status of a call on a connection of its own. */
export const call = (url: string, path: string, call: Call = {}): Effect.Effect<number> =>
  Effect.async((resume) => {
    const { body = "", headers = {}, key: given = key, method = "GET" } = call
    const outgoing = request(`${url}${path}`, {
      agent: false,
      method,
      headers: {
        ...(given === null ? {} : { Authorization: `Bearer ${given}` }),
        ...(body === "" ? {} : { "Content-Type": "application/json" }),
        ...headers
      }
    })
    outgoing.once("error", (error) => resume(Effect.die(error)))
    outgoing.once("response", (response) => {
      response.resume().once("end", () => resume(Effect.succeed(response.statusCode ?? 0)))
    })
    outgoing.end(body)
  })

/** Adds a pet. */
export const add = (url: string) => call(url, "/v1/pets", { method: "POST", body: rex })

/** A connection that sends this text and stays open; more can be sent. */
export const connection = (url: string, text: string) =>
  Effect.acquireRelease(
    Effect.async<ReturnType<typeof createConnection>>((resume) => {
      const { hostname, port } = new URL(url)
      const socket = createConnection(Number(port), hostname, () => {
        socket.write(text, () => resume(Effect.succeed(socket)))
      })
      socket.on("error", () => {}).resume()
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

/** Repeats an effect until its result is as wanted; fails with the last one after a long time. */
export const until = <A, E>(
  effect: Effect.Effect<A, E>,
  isWanted: (value: A) => boolean
): Effect.Effect<A, E> =>
  Effect.gen(function* () {
    const deadline = Date.now() + 60_000
    while (true) {
      const value = yield* effect
      if (isWanted(value)) return value
      if (Date.now() > deadline) {
        return yield* Effect.die(new Error(`still ${inspect(value)}`))
      }
      yield* Effect.sleep("10 millis")
    }
  })

/** How a service is started. */
type Start<P> = (path: string, environment: Environment) => Effect.Effect<P, never, Scope.Scope>

/** Starts a service in this way. */
export const serviceBy =
  <P extends Running>(start: Start<P>) =>
  (environment: Environment = {}, at = folder) =>
    Effect.gen(function* () {
      const path = yield* at
      const program = yield* start(path, { PETSTORE_API_KEYS: key, ...environment })
      const url = yield* Effect.promise(() => program.url())
      return { path, program, url }
    })

/** Starts a service with metrics in this way. */
export const measuredBy =
  <P extends Running>(start: Start<P>) =>
  (environment: Environment = {}, at = folder) =>
    Effect.gen(function* () {
      const settings = { PETSTORE_METRICS_PORT: "0", ...environment }
      const started = yield* serviceBy(start)(settings, at)
      const metricsUrl = yield* Effect.promise(() =>
        started.program.until(/metrics at (http:[^\s"]+)/)
      )
      const read = Effect.promise(async () => {
        const answer = await fetch(metricsUrl)
        return Exposition.parse(await answer.text())
      })
      return { ...started, metricsUrl, read }
    })

/** Starts a service in this process. */
export const service = serviceBy(start)

/** Starts a service with metrics in this process. */
export const measured = measuredBy(start)

/** The values of a metric's samples with these labels, by name; a suffix selects a part of a histogram. */
export const valuesOf = (
  metrics: ReadonlyMap<string, Exposition.Family>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
  suffix = ""
): ReadonlyArray<number> =>
  (metrics.get(name)?.samples ?? [])
    .filter((sample) => sample.name === `${name}${suffix}`)
    .filter((sample) =>
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value)
    )
    .map(({ value }) => value)
