/** Where secrets could be seen. */
import { randomBytes } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import * as LocalPostgres from "@petstore/local-postgres/LocalPostgres"
import * as Effect from "effect/Effect"
import * as Contract from "../Contract.ts"
import type { Experiment } from "../Experiment.ts"
import { sum } from "../Figures.ts"
import * as Http from "../Http.ts"
import * as Load from "../Load.ts"
import * as Process from "../Process.ts"
import * as Requests from "../Requests.ts"
import * as Service from "../Service.ts"
import * as Storage from "../Storage.ts"
import * as Wire from "../Wire.ts"

const requestsPerSecond = 50

/** Everything that the service shows is searched for everything that it must not show. */
export const secrets: Experiment = {
  name: "secrets",
  promise:
    "no API key, idempotency key or password is in a log, metric, trace, answer, file or process title, nor in what commands print but keys create",
  attack:
    "callers with right, wrong, misplaced and revoked keys, LOG_LEVEL=trace, traces, metrics, failing commands, a PostgreSQL that goes away; then a search, also for the encoded forms",
  databases: ["sqlite", "postgres"],
  needs: ["Linux"],
  seconds: 4,
  least: { secrets: 8, places: 9, "kB searched": 100 },
  control: "a log line shows the key of every fiftieth request",
  run: ({ database, isControl, random, seconds, show }) =>
    Effect.gen(function* () {
      const secret = new Map<string, string>()
      const newSecret = (name: string) => {
        const value = `${name.replaceAll(" ", "-")}-${randomBytes(12).toString("hex")}`
        secret.set(name, value)
        return value
      }
      secret.set("the key of the settings", Service.key)
      if (database === "postgres") secret.set("the password", LocalPostgres.password)
      const seen = new Map<string, string>()
      const see = (place: string, text: string) => seen.set(place, (seen.get(place) ?? "") + text)

      const server = database === "postgres" ? yield* Storage.postgres : undefined
      const folder = yield* Storage.folder
      const url =
        server === undefined
          ? Storage.sqlite(folder).url
          : yield* Effect.promise(server.createDatabase)
      const collector = createServer(async (request, response) => {
        see("traces", (await Http.bodyOf(request)).toString())
        response.end("{}")
      })
      const metricsPort = yield* Effect.promise(LocalPostgres.freePort)
      const env = {
        PETSTORE_API_KEYS: `${Service.key},${newSecret("another key of the settings")}`,
        PETSTORE_METRICS_PORT: String(metricsPort),
        LOG_LEVEL: "trace",
        LOG_REQUESTS: "all",
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${yield* Http.listen(collector)}`,
        OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
        OTEL_EXPORTER_OTLP_HEADERS: `authorization=${newSecret("the password of the collector")}`,
        OTEL_BSP_SCHEDULE_DELAY: "200"
      }
      const sabotage = isControl ? "log-key" : undefined
      const service = yield* Service.started({ url, env, sabotage })
      /** Runs a command of the program. */
      const command = (more: Record<string, string>, ...words: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          const all = { url, env: { ...env, ...more }, cwd: folder }
          const { stderr, stdout } = yield* (yield* Service.command(words, all)).ended
          see(`petstore ${words[0]}`, stderr)
          return stdout.trim()
        })
      const shown = (more: Record<string, string>, ...words: ReadonlyArray<string>) =>
        Effect.map(command(more, ...words), (output) => void see(`petstore ${words[0]}`, output))

      // Keys that are created, revoked and wrong.
      const created = yield* command({}, "keys", "create", "--name", "one")
      const revoked = yield* command({}, "keys", "create", "--name", "two")
      secret.set("a created key", created)
      secret.set("a revoked key", revoked)
      yield* shown({}, "keys", "revoke", revoked.slice(0, -1))
      yield* shown({}, "keys", "revoke", revoked)
      const wrongKey = newSecret("a wrong key")
      const keys = [Service.key, created, revoked, wrongKey, `${created}x`]
      const idempotencyKey = newSecret("an idempotency key")
      const body = JSON.stringify({ name: "Rex", categoryId: 1 })
      const ask = (method: string, path: string, headers: Record<string, string>, body?: string) =>
        Effect.promise(async () => {
          const all = { "content-type": "application/json", ...headers }
          const request = { method, path, headers: all, ...(body && { body }) }
          const answer = await Http.send(service.port, request)
          see("answers", `${JSON.stringify(answer.headers)} ${answer.body}\n`)
        })
      const everyKind = Effect.forEach(keys, (key) =>
        Effect.gen(function* () {
          for (const scheme of ["Bearer ", "Basic ", "Basic: ", "", "Bearer x "]) {
            yield* ask("GET", "/v1/pets", { authorization: `${scheme}${key}` })
          }
          // In the wrong place the service recognizes its own keys only.
          if (key !== wrongKey) {
            yield* ask("GET", `/v1/pets?api_key=${key}&limit=x`, { authorization: `Bearer ${key}` })
            yield* ask("GET", `/v1/pets?cursor=${key}`, Load.headers)
            yield* ask("GET", `/v1/pets/${key}`, Load.headers)
          }
          yield* ask("GET", "/v1/pets", { "x-api-key": key, cookie: `key=${key}` })
          for (const [name, sent] of [
            [idempotencyKey, body],
            [idempotencyKey, "{}"],
            [`${idempotencyKey} x`, body]
          ] as const) {
            const headers = { authorization: `Bearer ${key}`, "idempotency-key": name }
            yield* ask("POST", "/v1/pets", headers, sent)
          }
        })
      )
      yield* everyKind
      const contract = yield* Contract.make(service.port)
      const make = Requests.make(contract, random)
      const many = Math.round(seconds * requestsPerSecond)
      yield* Effect.promise(async () => {
        for (let nth = 0; nth < many; nth++) {
          const connection = Wire.open(service.port)
          connection.socket.end(make().bytes)
          see("answers", (await connection.closed()).toString())
          connection.socket.destroy()
        }
      })
      yield* show(`${many} requests of other kinds`)

      // Commands, also with settings that are wrong. The control is about the log.
      const broken = {
        DATABASE_URL: url.replace(/(@127\.0\.0\.1:)\d+/, "$11"),
        PETSTORE_START_TIMEOUT_SECONDS: "0"
      }
      const caller = (key: string) => ({
        PETSTORE_API_KEY: key,
        PETSTORE_URL: `http://127.0.0.1:${service.port}`
      })
      if (!isControl) {
        yield* shown({ PORT: "0" }, "doctor")
        yield* shown({ PORT: "0" }, "doctor", "--json")
        yield* shown({}, "config")
        yield* shown({}, "config", "--json")
        yield* shown({}, "keys", "list", "--json")
      }
      if (!isControl && server !== undefined) {
        yield* shown(broken, "doctor")
        yield* shown(broken, "serve", "--port", "0")
      }
      // These are the same for every database.
      if (!isControl && server === undefined) {
        yield* shown(caller(created), "pets", "list", "--json")
        yield* shown(caller(revoked), "pets", "list")
        const wrong = `postgres://u:${newSecret("a password in a wrong URL")}@:x/`
        yield* shown({ DATABASE_URL: wrong }, "config")
        const other = `mysql://u:${newSecret("a password in another URL")}@h/`
        yield* shown({ DATABASE_URL: other }, "serve", "--port", "0")
        const short = { PETSTORE_API_KEYS: `${newSecret("a key beside a short one")},short` }
        yield* shown(short, "serve", "--port", "0")
      }

      // The database goes away, and comes back.
      if (server !== undefined) {
        yield* Effect.promise(server.stop)
        yield* everyKind
        yield* Effect.promise(server.start)
      }
      const metrics = yield* Effect.promise(() => Load.get(metricsPort, "/metrics"))
      see("metrics", metrics.body.toString())
      see("process titles", Process.titles(service))
      // What is left of traces is sent at the end.
      yield* service.stop
      see("logs", service.output())
      for (const name of readdirSync(folder))
        see("files", readFileSync(join(folder, name), "latin1"))
      const bytes = sum([...seen.values()].map(({ length }) => length))
      const wrong = [...secret].flatMap(([name, value]) =>
        [...seen].flatMap(([place, text]) => {
          const form = formsOf(value).find((one) => text.includes(one))
          if (form === undefined) return []
          const [before = ""] = text.split(form, 1)
          return [`${name} is in ${place}: ${JSON.stringify(before.slice(-80) + form)}`]
        })
      )
      const empty = ["logs", "traces", "metrics", "answers"].filter(
        (place) => (seen.get(place)?.length ?? 0) < 1000
      )
      return {
        figures: {
          secrets: secret.size,
          places: seen.size,
          "kB searched": Math.round(bytes / 1000),
          found: wrong.length
        },
        wrong: [...wrong, ...empty.map((place) => `there are hardly any ${place}`)]
      }
    })
}

/** A secret as it is, in a URL, in JSON, in hexadecimal, and inside of a base64 text. */
const formsOf = (value: string): ReadonlyArray<string> => [
  value,
  encodeURIComponent(value),
  JSON.stringify(value).slice(1, -1),
  Buffer.from(value).toString("hex"),
  ...[0, 1, 2].map((shift) =>
    // Without what depends on its neighbours.
    Buffer.from(`${"x".repeat(shift)}${value}`)
      .toString("base64")
      .slice(shift === 0 ? 0 : 4, -5)
  )
]
