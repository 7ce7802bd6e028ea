/** The settings of the service: names, descriptions, defaults and validation. */
import { availableParallelism } from "node:os"
import * as KeyText from "@petstore/access/KeyText"
import type { Server } from "@petstore/http-contract/OpenApiDocument"
import { prefix } from "@petstore/http-contract/PetStoreApi"
import * as HttpListener from "@petstore/http-server/HttpListener"
import * as PetStoreServer from "@petstore/http-server/PetStoreServer"
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as LogLevel from "effect/LogLevel"
import * as Redacted from "effect/Redacted"
import { isDurable } from "./databases/Database.ts"
import * as Databases from "./databases/Databases.ts"
import { caseless, duration, oneOf, type Parse, text, wholeNumber, yesOrNo } from "./Parse.ts"
import * as PassedSocket from "./PassedSocket.ts"
import * as Setting from "./Setting.ts"
import { tracing } from "./TracingConfig.ts"

const { make, optional, plain, publicUrl, secret } = Setting

const number = (name: string, about: string, fallback: number, from: number, to: number) =>
  make({ name, about, fallback: String(fallback) }, wholeNumber(from, to))

const seconds = (name: string, about: string, fallback: Duration.DurationInput, from = 1) =>
  make({ name, about, fallback: String(Duration.toSeconds(fallback)) }, (text) =>
    Either.map(wholeNumber(from, 3600)(text), Duration.seconds)
  )

/** A base URL. The version prefix is added if it is missing. */
const baseUrl: Parse<string> = (text) => {
  const url = text.replace(/(?<!\/)\/+$/, "")
  const isValid = /^https?:\/\/[^@?#\s]*$/.test(url) && URL.canParse(url)
  // A path that starts with two slashes would be the address of another server.
  return isValid && !pathOf(url).includes("//")
    ? Either.right(pathOf(url).endsWith(prefix) ? url : `${url}${prefix}`)
    : Either.left(
        `must be a URL such as https://pets.example.org${prefix}, not "${publicUrl(text)}"`
      )
}

const pathOf = (url: string): string => new URL(url).pathname

const shortestKey = 16

const keys: Parse<ReadonlyArray<Redacted.Redacted>> = (text) => {
  const parts = text.split(",").map((key) => key.trim())
  if (!parts.every((key) => /^[\x21-\x7e]+$/.test(key))) {
    return Either.left("must be comma-separated keys without spaces")
  }
  return parts.every((key) => key.length >= shortestKey)
    ? Either.right(parts.map((key) => Redacted.make(key)))
    : Either.left(`must be keys of at least ${shortestKey} characters: short ones can be guessed`)
}

/** An API key. Its checksum detects typing errors before anything is sent. */
const apiKey: Parse<Redacted.Redacted> = (text) => {
  if (!/^[\x21-\x7e]+$/.test(text)) return Either.left("must be an API key without spaces")
  return text.startsWith("pet_") && !KeyText.isWellFormed(text)
    ? Either.left("is mistyped: checksum mismatch")
    : Either.right(Redacted.make(text))
}

const rateLimit: Parse<{ readonly count: number; readonly window: Duration.Duration }> = (text) => {
  const [, first = "", second = ""] = /^([^/]*)\/([^/]*)$/.exec(text) ?? []
  const limit = Either.all({ count: wholeNumber(1, 1e9)(first), window: duration(second) })
  return Either.isRight(limit) && Duration.greaterThanOrEqualTo(limit.right.window, "1 second")
    ? limit
    : Either.left(`must be a number of requests and a time, such as 600/1m, not "${text}"`)
}

const mostWorkers = 256

const workers: Parse<number> = (text) =>
  text === "auto"
    ? Either.right(Math.min(availableParallelism(), mostWorkers))
    : Either.mapLeft(
        wholeNumber(1, mostWorkers)(text),
        () => `must be auto or a whole number from 1 to ${mostWorkers}, not "${text}"`
      )

const origins: Parse<ReadonlyArray<string>> = (text) => {
  const parts = text.split(",").map((origin) => origin.trim())
  const isOrigin = (origin: string) =>
    /^[^*]+$/.test(origin) && URL.canParse(origin) && new URL(origin).origin === origin
  const wrong = parts.find((origin) => origin !== "*" && !isOrigin(origin))
  return wrong === undefined
    ? Either.right(parts)
    : Either.left(`must be * or origins such as https://app.example.org, not "${plain(wrong)}"`)
}

const logLevels: Readonly<Record<string, LogLevel.LogLevel>> = {
  trace: LogLevel.Trace,
  debug: LogLevel.Debug,
  info: LogLevel.Info,
  warn: LogLevel.Warning,
  warning: LogLevel.Warning,
  error: LogLevel.Error,
  fatal: LogLevel.Fatal,
  none: LogLevel.None
}

const logLevel: Parse<LogLevel.LogLevel> = (text) =>
  Either.map(oneOf(Object.keys(logLevels))(text), (name) => logLevels[name] ?? LogLevel.Info)

/** The upper bound of `PETSTORE_MAX_BODY_BYTES`, and so of a pet's name. */
export const largestBody = 64 * 1024 * 1024

/** The database. */
export const database = make(
  {
    name: "DATABASE_URL",
    about:
      "the database of pets and API keys: `sqlite:<file>`, `postgres://<user>:<password>@<host>/<database>` or `memory:`; the password may be in `PGPASSWORD` instead",
    fallback: "sqlite:data/petstore.db",
    shown: (text) =>
      Either.match(Databases.parse(text), { onLeft: secret, onRight: ({ url }) => url })
  },
  Databases.parse
)

const calling = {
  url: make(
    {
      name: "PETSTORE_URL",
      about: "the service that `petstore pets` calls",
      fallback: "http://127.0.0.1:3000",
      shown: publicUrl
    },
    baseUrl
  ),
  key: optional(
    {
      name: "PETSTORE_API_KEY",
      about: "the API key that `petstore pets` uses",
      fallback: "none",
      shown: secret
    },
    apiKey
  )
}

const noKey = "PETSTORE_API_KEY must be set to an API key; petstore keys create issues one"

/** The configuration of commands that call a running service. */
export const client = Config.mapOrFail(Config.all(calling), ({ key, url }) =>
  key === undefined
    ? Either.left(ConfigError.MissingData(["PETSTORE_API_KEY"], noKey))
    : Either.right({ key, url })
)

const servers = {
  baseUrl: optional(
    {
      name: "PETSTORE_BASE_URL",
      about:
        "the address that callers use, such as `https://example.org/shop/v1`: the OpenAPI document names it, and `Link` and `Location` have its path",
      fallback: "this server",
      shown: publicUrl
    },
    baseUrl
  ),
  stagingUrl: optional(
    {
      name: "PETSTORE_STAGING_URL",
      about: "the staging server that the OpenAPI document names",
      fallback: "none",
      shown: publicUrl
    },
    baseUrl
  )
}

const { defaults } = HttpListener

/** The settings of a server. */
const server = {
  host: make(
    { name: "HOST", about: "the address to listen on; 0.0.0.0 for all", fallback: "127.0.0.1" },
    text
  ),
  port: number("PORT", "the port to listen on; 0 for any free port", 3000, 0, 65_535),
  database,
  workers: make(
    {
      name: "PETSTORE_WORKERS",
      about:
        "number of processes that serve, `auto` for one per core; limits and caches are per process",
      fallback: "1"
    },
    caseless(workers)
  ),
  cacheBytes: number(
    "PETSTORE_CACHE_BYTES",
    "size of SQLite's page cache; 0 for none",
    16_777_216,
    0,
    1_073_741_824
  ),
  poolSize: number(
    "PETSTORE_POOL_SIZE",
    "maximum number of connections to PostgreSQL for requests; keys are read on one more",
    10,
    1,
    1000
  ),
  isReadOnly: make(
    {
      name: "PETSTORE_READ_ONLY",
      about: "answer 503 to requests that add pets, such as while the database is moved",
      fallback: "false"
    },
    yesOrNo
  ),
  apiKeys: optional(
    {
      name: "PETSTORE_API_KEYS",
      about: `additional API keys to accept, comma-separated, each of at least ${shortestKey} characters`,
      fallback: "none",
      shown: secret
    },
    keys
  ),
  printFirstKey: make(
    {
      name: "PETSTORE_PRINT_FIRST_KEY",
      about: "create and print a first API key without a terminal, too",
      fallback: "false"
    },
    yesOrNo
  ),
  ...servers,
  corsOrigins: optional(
    {
      name: "PETSTORE_CORS_ORIGINS",
      about: "origins of web pages that may call the API, comma-separated, or `*`",
      fallback: "none"
    },
    origins
  ),
  trustedHops: number(
    "PETSTORE_TRUSTED_HOPS",
    "number of proxies whose `X-Forwarded-For` is trusted for the client's address",
    0,
    0,
    10
  ),
  rateLimit: optional(
    {
      name: "PETSTORE_RATE_LIMIT",
      about: "requests per key and time, and wrong keys per address, such as `600/1m`",
      fallback: "no limit"
    },
    rateLimit
  ),
  requestsPerMinute: optional(
    {
      name: "PETSTORE_REQUESTS_PER_MINUTE",
      about: "the same for a minute; `PETSTORE_RATE_LIMIT` overrides it",
      fallback: "no limit"
    },
    wholeNumber(1, 1_000_000_000)
  ),
  maxInFlight: number(
    "PETSTORE_MAX_IN_FLIGHT",
    "maximum number of requests handled at a time; any more get 503",
    defaults.maxInFlight,
    1,
    1_000_000
  ),
  maxConnections: number(
    "PETSTORE_MAX_CONNECTIONS",
    "maximum number of connections; silent ones are closed to make room, else requests on any more get 503",
    defaults.maxConnections,
    1,
    1_000_000
  ),
  maxConnectionsPerAddress: number(
    "PETSTORE_MAX_CONNECTIONS_PER_ADDRESS",
    "the same for one address or IPv6 network; not applied if proxies are trusted",
    defaults.maxConnectionsPerAddress,
    1,
    1_000_000
  ),
  maxEventLoopDelay: optional(
    {
      name: "PETSTORE_MAX_EVENT_LOOP_DELAY_MS",
      about: "requests get 503 while the event loop is blocked for longer",
      fallback: "no limit"
    },
    (text) => Either.map(wholeNumber(10, 60_000)(text), Duration.millis)
  ),
  maxBodyBytes: number(
    "PETSTORE_MAX_BODY_BYTES",
    "maximum size of a request body",
    PetStoreServer.defaults.maxBodyBytes,
    1,
    largestBody
  ),
  maxHeaderBytes: number(
    "PETSTORE_MAX_HEADER_BYTES",
    "maximum size of request headers",
    defaults.maxHeaderBytes,
    1024,
    1_048_576
  ),
  maxUnsentBytes: number(
    "PETSTORE_MAX_UNSENT_BYTES",
    "maximum bytes waiting to be sent, over all connections; beyond it large responses wait, and connections that do not read are closed",
    defaults.maxUnsentBytes,
    1_048_576,
    17_179_869_184
  ),
  headersTimeout: seconds(
    "PETSTORE_HEADERS_TIMEOUT_SECONDS",
    "time limit for receiving request headers",
    defaults.headersTimeout
  ),
  requestTimeout: seconds(
    "PETSTORE_REQUEST_TIMEOUT_SECONDS",
    "time limit for receiving a whole request",
    defaults.requestTimeout
  ),
  keepAliveTimeout: seconds(
    "PETSTORE_KEEP_ALIVE_SECONDS",
    "time until an idle connection is closed",
    defaults.keepAliveTimeout
  ),
  sendTimeout: seconds(
    "PETSTORE_SEND_TIMEOUT_SECONDS",
    "time until a connection that does not read its response is closed",
    defaults.sendTimeout
  ),
  prestop: seconds(
    "PETSTORE_PRESTOP_SECONDS",
    "time to go on serving after SIGTERM, with `/readyz` at 503",
    defaults.prestop,
    0
  ),
  drainTimeout: seconds(
    "PETSTORE_DRAIN_SECONDS",
    "time limit for requests in flight at shutdown",
    defaults.drainTimeout
  ),
  logLevel: make(
    {
      name: "LOG_LEVEL",
      about: "the minimum log level: trace, debug, info, warn, error, fatal or none",
      fallback: "info"
    },
    caseless(logLevel)
  ),
  logFormat: optional(
    {
      name: "LOG_FORMAT",
      about: "the log format: pretty, json or logfmt",
      fallback: "pretty on a terminal, else json"
    },
    caseless(oneOf(["pretty", "json", "logfmt"] as const))
  ),
  logRequests: make(
    {
      name: "LOG_REQUESTS",
      about: "which requests to log: all, errors (status 400 and above) or none",
      fallback: "errors"
    },
    caseless(oneOf(["all", "errors", "none"] as const))
  ),
  metricsPort: optional(
    {
      name: "PETSTORE_METRICS_PORT",
      about: "the port for Prometheus metrics, at `/metrics`; 0 for any free port",
      fallback: "no metrics"
    },
    wholeNumber(0, 65_535)
  ),
  ...tracing
}

/** All settings, in the order in which they are shown. */
export const settings: ReadonlyArray<Setting.About> = [
  ...Object.values(server),
  ...Object.values(calling)
].map(({ setting }) => setting)

interface Urls {
  readonly baseUrl: string | undefined
  readonly stagingUrl: string | undefined
}

/** The `servers` of the OpenAPI document: those that are named, or the one that serves it. */
const serversOf = ({ baseUrl, stagingUrl }: Urls): ReadonlyArray<Server> => {
  const named = [
    ...(baseUrl === undefined ? [] : [{ url: baseUrl, description: "Production" }]),
    ...(stagingUrl === undefined ? [] : [{ url: stagingUrl, description: "Staging" }])
  ]
  return named.length > 0 ? named : PetStoreServer.defaults.servers
}

/** The `servers` of the OpenAPI document. */
export const openApiServers: Config.Config<ReadonlyArray<Server>> = Config.map(
  Config.all(servers),
  serversOf
)

/** Processes do not share their memory. */
const shareable = Config.mapOrFail(Config.all({ ...server, fd: PassedSocket.fd }), (config) =>
  config.workers === 1 || isDurable(config.database)
    ? Either.right(config)
    : Either.left(
        ConfigError.InvalidData(
          ["PETSTORE_WORKERS"],
          `PETSTORE_WORKERS must be 1 for ${config.database.url}, or set DATABASE_URL to sqlite:<file> or postgres://<host>/<database>`
        )
      )
)

/** The whole configuration of a server. */
export const AppConfig = Config.map(
  shareable,
  ({ apiKeys, corsOrigins, maxEventLoopDelay, rateLimit, requestsPerMinute, ...config }) => ({
    ...config,
    servers: serversOf(config),
    basePath:
      config.baseUrl === undefined ? PetStoreServer.defaults.basePath : pathOf(config.baseUrl),
    apiKeys: apiKeys ?? [],
    corsOrigins: corsOrigins ?? [],
    maxEventLoopDelay: maxEventLoopDelay ?? defaults.maxEventLoopDelay,
    maxConnectionsPerAddress:
      config.trustedHops > 0 ? Number.POSITIVE_INFINITY : config.maxConnectionsPerAddress,
    rateLimit:
      rateLimit === undefined && requestsPerMinute !== undefined
        ? { count: requestsPerMinute, window: Duration.minutes(1) }
        : rateLimit
  })
)

/** The whole configuration of a server. */
export type AppConfig = Config.Config.Success<typeof AppConfig>
