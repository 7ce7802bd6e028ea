/** The settings of the service: names, descriptions, defaults and validation. */
import type { Server } from "@petstore/http-contract/OpenApiDocument"
import * as HttpListener from "@petstore/http-server/HttpListener"
import * as PetStoreServer from "@petstore/http-server/PetStoreServer"
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import { isDurable } from "./databases/Database.ts"
import * as Databases from "./databases/Databases.ts"
import { caseless, oneOf, text, wholeNumber, yesOrNo } from "./Parse.ts"
import * as PassedSocket from "./PassedSocket.ts"
import * as Setting from "./Setting.ts"
import {
  apiKey,
  apiKeys,
  baseUrl,
  logLevel,
  minKeyLength,
  origins,
  pathOf,
  rateLimit,
  workers
} from "./SettingValues.ts"
import { tracing } from "./TracingConfig.ts"

const { make, optional, publicUrl, secret } = Setting

const number = (name: string, about: string, fallback: number, from: number, to: number) =>
  make(name, about, String(fallback), wholeNumber(from, to))

const seconds = (name: string, about: string, fallback: Duration.DurationInput, from = 1) =>
  make(name, about, String(Duration.toSeconds(fallback)), (text) =>
    Either.map(wholeNumber(from, 3600)(text), Duration.seconds)
  )

/** The upper bound of `PETSTORE_MAX_BODY_BYTES`, and so of a pet's name. */
export const maxBodyBytes = 64 * 1024 * 1024

/** The database. */
export const database = make(
  "DATABASE_URL",
  `the database of pets and API keys: \`${Databases.forms}\``,
  Databases.fallback,
  Databases.parse,
  (text) => Either.match(Databases.parse(text), { onLeft: secret, onRight: ({ url }) => url })
)

const calling = {
  url: make(
    "PETSTORE_URL",
    "the service that `petstore pets` calls",
    "http://127.0.0.1:3000",
    baseUrl,
    publicUrl
  ),
  key: optional("PETSTORE_API_KEY", "the API key that `petstore pets` uses", "none", apiKey, secret)
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
    "PETSTORE_BASE_URL",
    "the address that callers use, such as `https://example.org/shop/v1`: the OpenAPI document names it, and `Link` and `Location` have its path",
    "this server",
    baseUrl,
    publicUrl
  ),
  stagingUrl: optional(
    "PETSTORE_STAGING_URL",
    "the staging server that the OpenAPI document names",
    "none",
    baseUrl,
    publicUrl
  )
}

const { defaults } = HttpListener

/** The settings of a server. */
const server = {
  host: make("HOST", "the address to listen on; 0.0.0.0 for all", "127.0.0.1", text),
  port: number("PORT", "the port to listen on; 0 for any free port", 3000, 0, 65_535),
  database,
  workers: make(
    "PETSTORE_WORKERS",
    "number of processes that serve, `auto` for one per core; limits and caches are per process",
    "1",
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
    "PETSTORE_READ_ONLY",
    "answer 503 to requests that add pets, such as while the database is moved",
    "false",
    yesOrNo
  ),
  apiKeys: optional(
    "PETSTORE_API_KEYS",
    `additional API keys to accept, comma-separated, each of at least ${minKeyLength} characters`,
    "none",
    apiKeys,
    secret
  ),
  printFirstKey: make(
    "PETSTORE_PRINT_FIRST_KEY",
    "create and print a first API key without a terminal, too",
    "false",
    yesOrNo
  ),
  ...servers,
  corsOrigins: optional(
    "PETSTORE_CORS_ORIGINS",
    "origins of web pages that may call the API, comma-separated, or `*`",
    "none",
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
    "PETSTORE_RATE_LIMIT",
    "requests per key and time, and wrong keys per address, such as `600/1m`",
    "no limit",
    rateLimit
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
    "maximum number of connections; idle ones are closed to make room, else requests on any more get 503; at most half of them, or 5,000, from one address",
    defaults.maxConnections,
    1,
    1_000_000
  ),
  maxBodyBytes: number(
    "PETSTORE_MAX_BODY_BYTES",
    "maximum size of a request body",
    PetStoreServer.defaults.maxBodyBytes,
    1,
    maxBodyBytes
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
    "LOG_LEVEL",
    "the minimum log level: trace, debug, info, warn, error, fatal or none",
    "info",
    caseless(logLevel)
  ),
  logFormat: optional(
    "LOG_FORMAT",
    "the log format: pretty, json or logfmt",
    "pretty on a terminal, else json",
    caseless(oneOf(["pretty", "json", "logfmt"] as const))
  ),
  logRequests: make(
    "LOG_REQUESTS",
    "which requests to log: all, errors (status 400 and above) or none",
    "errors",
    caseless(oneOf(["all", "errors", "none"] as const))
  ),
  metricsPort: optional(
    "PETSTORE_METRICS_PORT",
    "the port for Prometheus metrics, at `/metrics`; 0 for any free port",
    "no metrics",
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

/** Several workers need a durable database. */
const shareable = Config.mapOrFail(Config.all({ ...server, fd: PassedSocket.fd }), (config) =>
  config.workers === 1 || isDurable(config.database)
    ? Either.right(config)
    : Either.left(
        ConfigError.InvalidData(
          ["PETSTORE_WORKERS"],
          `PETSTORE_WORKERS must be 1 for ${config.database.url}, or set DATABASE_URL to ${Databases.durableForms}`
        )
      )
)

/** The whole configuration of a server. */
export const AppConfig = Config.map(shareable, ({ apiKeys, corsOrigins, ...config }) => ({
  ...config,
  servers: serversOf(config),
  basePath:
    config.baseUrl === undefined ? PetStoreServer.defaults.basePath : pathOf(config.baseUrl),
  apiKeys: apiKeys ?? [],
  corsOrigins: corsOrigins ?? [],
  // Behind a proxy all connections come from its address.
  maxConnectionsPerAddress:
    config.trustedHops > 0
      ? Number.POSITIVE_INFINITY
      : Math.max(defaults.maxConnectionsPerAddress, config.maxConnections / 2)
}))

/** The whole configuration of a server. */
export type AppConfig = Config.Config.Success<typeof AppConfig>
