/** A service whose metrics and traces are watched. */
import { createConnection } from "node:net"
import { inspect } from "node:util"
import { Effect, Schedule, type Scope } from "effect"
import { type Sent, send } from "./Calls.ts"
import * as Exposition from "./Exposition.ts"
import { type Environment, folder } from "./Folder.ts"
import { start } from "./Program.ts"
import { type Running, serveBy } from "./Running.ts"

/** A key that the service accepts. */
export const key = "the-key-of-the-tests"

/** What to send; the key is sent unless it is null. */
export interface Call extends Sent {
  readonly key?: string | null
}

/** The body of a pet. */
export const rex = JSON.stringify({ name: "Rex", categoryId: 1 })

/** The answer to a call on a connection of its own. */
const answerOf = (url: string, path: string, { headers, key: given = key, ...call }: Call) =>
  send(`${url}${path}`, {
    ...call,
    headers: {
      ...(given === null ? {} : { Authorization: `Bearer ${given}` }),
      ...(call.body ? { "Content-Type": "application/json" } : {}),
      ...headers
    }
  })

/** The status of a call. */
export const call = (url: string, path: string, call: Call = {}): Effect.Effect<number> =>
  Effect.map(answerOf(url, path, call), ({ status }) => status)

/** The head of a request that adds the pet above, for connections that send it in parts. */
export const postHead = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${rex.length}\r\n\r\n`

/** Adds a pet. */
export const add = (url: string, name = "Rex") =>
  call(url, "/v1/pets", { method: "POST", body: rex.replace("Rex", name) })

/** A connection that sends this and stays open; more can be sent. */
export const connection = (url: string, sent: string) =>
  Effect.acquireRelease(
    Effect.async<ReturnType<typeof createConnection>>((resume) => {
      const { hostname, port } = new URL(url)
      const socket = createConnection(Number(port), hostname, () => {
        socket.write(sent, () => resume(Effect.succeed(socket)))
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
    const deadline = Date.now() + 150_000
    while (true) {
      const value = yield* effect
      if (isWanted(value)) return value
      if (Date.now() > deadline) {
        return yield* Effect.die(new Error(`still ${inspect(value)}`))
      }
      yield* Effect.sleep("10 millis")
    }
  })

/** On a busy machine what a test does in between may take longer than the service waits by default. */
const patient = {
  PETSTORE_KEEP_ALIVE_SECONDS: "600",
  PETSTORE_REQUEST_TIMEOUT_SECONDS: "600",
  OTEL_EXPORTER_OTLP_TIMEOUT: "600000"
}

/** How a service is started. */
type Start<P> = (path: string, environment: Environment) => Effect.Effect<P, never, Scope.Scope>

/** Starts a service in this way. */
export const serviceBy =
  <P extends Running>(start: Start<P>) =>
  (environment: Environment = {}, at = folder) =>
    Effect.gen(function* () {
      const path = yield* at
      const settings = { PETSTORE_API_KEYS: key, ...patient, ...environment }
      return { path, ...(yield* serveBy(start)(path, settings)) }
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
      let seen = ""
      // A text is served for a second: the first other one was read after whatever the test did.
      const read = answerOf(metricsUrl, "", { key: null }).pipe(
        Effect.filterOrFail(
          ({ text }) => text !== seen,
          () => "seen" as const
        ),
        Effect.retry({
          while: (error) => error === "seen",
          schedule: Schedule.spaced("50 millis")
        }),
        Effect.map(({ text }) => {
          seen = text
          return Exposition.parse(text)
        })
      )
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
