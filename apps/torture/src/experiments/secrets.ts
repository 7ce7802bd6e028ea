/** Where secrets could be seen. */
import { randomBytes } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import * as LocalPostgres from "@petstore/local-postgres/LocalPostgres"
import * as Effect from "effect/Effect"
import type { Experiment } from "../Experiment.ts"
import * as Http from "../Http.ts"
import * as Load from "../Load.ts"
import * as Process from "../Process.ts"
import * as Service from "../Service.ts"
import * as Storage from "../Storage.ts"
import * as Wire from "../Wire.ts"

/** Everything that the service shows is searched for everything that it must not show. */
export const secrets: Experiment = {
  name: "secrets",
  attack:
    "all logs, metrics, traces, answers, files and output are searched for keys, idempotency keys and passwords, right, wrong and misplaced",
  databases: ["sqlite", "postgres"],
  needs: ["Linux"],
  seconds: 4,
  least: { secrets: 8, places: 9, "kB searched": 100 },
  controls: [{ broken: "a log line shows the key of every fiftieth request", sabotage: "log-key" }],
  run: ({ count, database, isControl, sabotage, wrong }) =>
    Effect.gen(function* () {
      const secret = new Map([["the key of the settings", Service.key]])
      const newSecret = (name: string) => {
        const value = `${name.replaceAll(" ", "-")}-${randomBytes(12).toString("hex")}`
        secret.set(name, value)
        return value
      }
      const seen = new Map<string, string>()
      const see = (place: string, text: string) => seen.set(place, (seen.get(place) ?? "") + text)

      const folder = yield* Storage.folder
      const server = database === "postgres" ? yield* Storage.postgres : undefined
      if (server !== undefined) secret.set("the password", LocalPostgres.password)
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
      const service = yield* Service.started({ url, env, sabotage })
      const { port } = service
      /** Runs a command of the program, and returns its output. */
      const petstore = (words: string, more: Record<string, string> = {}) =>
        Effect.gen(function* () {
          const all = { url, env: { ...env, ...more }, cwd: folder }
          const { stderr, stdout } = yield* (yield* Service.command(words.split(" "), all)).ended
          // Only this one shows a key.
          const shown = words.startsWith("keys create") ? stderr : stdout + stderr
          see(`petstore ${words.split(" ", 1)}`, shown)
          return stdout.trim()
        })

      // Keys that are created, revoked and wrong.
      const created = yield* petstore("keys create --name one")
      const revoked = yield* petstore("keys create --name two")
      secret.set("a created key", created)
      secret.set("a revoked key", revoked)
      yield* petstore(`keys revoke ${revoked.slice(0, -1)}`)
      yield* petstore(`keys revoke ${revoked}`)
      const wrongKey = newSecret("a wrong key")
      const idempotencyKey = newSecret("an idempotency key")
      const body = JSON.stringify({ name: "Rex", categoryId: 1 })
      const ask = async (path: string, headers: Record<string, string>, body?: string) => {
        const method = body === undefined ? "GET" : "POST"
        const all = { "content-type": "application/json", ...headers }
        const answer = await Http.send(port, { method, path, headers: all, ...(body && { body }) })
        see("answers", `${JSON.stringify(answer.headers)} ${answer.body}\n`)
      }
      const everyKind = Effect.promise(async () => {
        for (const key of [Service.key, created, revoked, wrongKey, `${created}x`]) {
          const authorization = `Bearer ${key}`
          for (const scheme of ["Bearer ", "Basic ", "Basic: ", "", "Bearer x "])
            await ask("/v1/pets", { authorization: `${scheme}${key}` })
          // In the wrong place the service recognizes its own keys only.
          if (key !== wrongKey) {
            await ask(`/v1/pets?api_key=${key}&limit=x`, { authorization })
            await ask(`/v1/pets?cursor=${key}`, Load.headers)
            await ask(`/v1/pets/${key}`, Load.headers)
          }
          await ask("/v1/pets", { "x-api-key": key, cookie: `key=${key}` })
          const keys = [idempotencyKey, idempotencyKey, `${idempotencyKey} x`]
          for (const [nth, name] of keys.entries())
            await ask(
              "/v1/pets",
              { authorization, "idempotency-key": name },
              nth === 1 ? "{}" : body
            )
        }
      })
      yield* everyKind
      yield* Effect.promise(async () => {
        for (const [from, to] of malformed) {
          const connection = Wire.open(port)
          connection.socket.end(Wire.request("GET /v1/pets").replace(from, to))
          see("answers", (await connection.closed()).toString())
          connection.socket.destroy()
        }
      })

      // Commands, with wrong settings, too.
      const noDatabase = {
        DATABASE_URL: database === "sqlite" ? `${url}/none` : url.replace(/(@[\d.]+:)\d+/, "$11"),
        PETSTORE_START_TIMEOUT_SECONDS: "0"
      }
      const caller = { PETSTORE_API_KEY: created, PETSTORE_URL: `http://127.0.0.1:${port}` }
      const wrongUrl = (start: string) => ({
        DATABASE_URL: `${start}://u:${newSecret(`a password of ${start}`)}@:x/`
      })
      const short = `${newSecret("a key beside a short one")},short`
      const attempts: ReadonlyArray<readonly [string, Record<string, string>?]> = [
        ["doctor", { PORT: "0" }],
        ["doctor", noDatabase],
        ["config"],
        ["config --json", wrongUrl("postgres")],
        ["keys list --json"],
        ["pets list --json", caller],
        ["pets list", { ...caller, PETSTORE_API_KEY: revoked }],
        ["serve --port 0", noDatabase],
        ["serve --port 0", wrongUrl("mysql")],
        ["serve --port 0", { PETSTORE_API_KEYS: short }]
      ]
      // The control is about the log.
      for (const [words, more] of isControl ? [] : attempts) yield* petstore(words, more)

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
      count("secrets", secret.size)
      count("places", seen.size)
      for (const [place, text] of seen) {
        count("kB searched", Math.round(text.length / 1000))
        for (const [name, value] of secret) {
          const form = [value, encodeURIComponent(value)].find((one) => text.includes(one))
          if (form === undefined) continue
          const [before = ""] = text.split(form, 1)
          wrong(`${name} is in ${place}: ${JSON.stringify(before.slice(-80) + form)}`)
        }
      }
      for (const place of ["logs", "traces", "metrics", "answers"])
        if ((seen.get(place)?.length ?? 0) < 1000) wrong(`there are hardly any ${place}`)
    })
}

/** What is changed in requests that are refused before their key is read. */
const malformed = [
  ["HTTP/1.1", "HTTP/9"],
  ["Host:", "Host"],
  ["/v1", "\0"],
  ["\r\n", `\r\nX: ${"x".repeat(20_000)}\r\n`],
  ["Authorization: ", "Authorization\n"]
] as const
