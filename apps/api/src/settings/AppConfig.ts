/** The settings of the service: names, descriptions, defaults and validation. */

import * as PetStoreServer from "@petstore/http-pets/PetStoreServer"
import * as HttpListener from "@petstore/http-transport/HttpListener"
import type { Server } from "@petstore/http-transport/OpenApiDocument"
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import { caseless, oneOf, text, wholeNumber, yesOrNo } from "../cli/Parse.ts"
import { publicUrl, secret } from "../cli/Secrets.ts"
import * as Databases from "../databases/Databases.ts"
import * as PassedSocket from "./PassedSocket.ts"
import * as Setting from "./Setting.ts"
import * as SettingValues from "./SettingValues.ts"
import { tracing } from "./TracingSettings.ts"

const { make, optional } = Setting

const seconds = (
  name: string,
  fallback: Duration.DurationInput,
  from: number,
  presentation: Setting.Presentation
) =>
  make(
    name,
    Duration.toSeconds(fallback),
    (text) => Either.map(wholeNumber(from, 3600)(text), Duration.seconds),
    presentation
  )

export const database = make("DATABASE_URL", "sqlite:data/petstore.db", Databases.parse, {
  about: `the database of pets and API keys: \`${Databases.forms}\`; of several PostgreSQL hosts (\`a,b\`), the primary; \`PGPASSWORD\` has the password if it has none`,
  shown: (text) =>
    Either.match(Databases.parse(text), { onLeft: secret, onRight: ({ url }) => url })
})

const calling = {
  url: make("PETSTORE_URL", "http://127.0.0.1:3000", SettingValues.baseUrl, {
    about: "the service that `petstore pets` calls",
    shown: publicUrl
  }),
  key: optional("PETSTORE_API_KEY", "none", SettingValues.apiKey, {
    about: "the API key that `petstore pets` uses",
    shown: secret
  })
}

const noKey = "PETSTORE_API_KEY must be set to an API key; petstore keys create issues one"

/** The configuration of commands that call a running service. */
export const client = Config.mapOrFail(Config.all(calling), ({ key, url }) =>
  key === undefined
    ? Either.left(ConfigError.MissingData(["PETSTORE_API_KEY"], noKey))
    : Either.right({ key, url })
)

export const logFormat = optional(
  "LOG_FORMAT",
  "pretty on a terminal, else json",
  caseless(oneOf(["pretty", "json"] as const)),
  { about: "the log format: pretty or json" }
)

const servers = {
  baseUrl: optional("PETSTORE_BASE_URL", "this server", SettingValues.baseUrl, {
    about:
      "the address that callers use, such as `https://example.org/shop/v1`, for the OpenAPI document, `Link` and `Location`",
    shown: publicUrl
  }),
  stagingUrl: optional("PETSTORE_STAGING_URL", "none", SettingValues.baseUrl, {
    about: "the staging server that the OpenAPI document names",
    shown: publicUrl
  })
}

const defaults = { ...HttpListener.defaults, ...PetStoreServer.defaults }

const server = {
  host: make("HOST", "127.0.0.1", text, { about: "the address to listen on; 0.0.0.0 for all" }),
  port: make("PORT", 3000, wholeNumber(0, 65_535), {
    about: "the port to listen on; 0 for any free port"
  }),
  reusePort: make("PETSTORE_REUSE_PORT", "false", yesOrNo, {
    about:
      "let several processes listen on this port (Linux); set `net.ipv4.tcp_migrate_req=1`, or a stop resets some new connections"
  }),
  database,
  cacheBytes: make("PETSTORE_CACHE_BYTES", 16_777_216, wholeNumber(0, 1_073_741_824), {
    about: "size of SQLite's page cache; 0 for none"
  }),
  poolSize: make("PETSTORE_POOL_SIZE", 10, wholeNumber(1, 1000), {
    about: "maximum number of connections to PostgreSQL, and one more for keys"
  }),
  startTimeout: seconds("PETSTORE_START_TIMEOUT_SECONDS", "30 seconds", 0, {
    about: "time to wait at the start for PostgreSQL; 0 to fail at once"
  }),
  isReadOnly: make("PETSTORE_READ_ONLY", "false", yesOrNo, {
    about: "answer 503 to creates, such as while the database is moved"
  }),
  apiKeys: optional("PETSTORE_API_KEYS", "none", SettingValues.apiKeys, {
    about: `more API keys, comma-separated, each of at least ${SettingValues.minKeyLength} characters`,
    shown: secret
  }),
  printFirstKey: make("PETSTORE_PRINT_FIRST_KEY", "false", yesOrNo, {
    about: "create and print a first key even without a terminal"
  }),
  ...servers,
  corsOrigins: optional("PETSTORE_CORS_ORIGINS", "none", SettingValues.origins, {
    about: "origins of web pages that may call the API, comma-separated, or `*`"
  }),
  trustedHops: make("PETSTORE_TRUSTED_HOPS", 0, wholeNumber(0, 10), {
    about: "number of proxies whose `X-Forwarded-For` is trusted"
  }),
  rateLimit: optional("PETSTORE_RATE_LIMIT", "no limit", SettingValues.rateLimit, {
    about: "requests per key, and wrong keys per address, such as `600/1m`; per process"
  }),
  maxInFlight: make("PETSTORE_MAX_IN_FLIGHT", defaults.maxInFlight, wholeNumber(1, 1e6), {
    about: "maximum number of requests in flight; more get 503"
  }),
  maxConnections: make("PETSTORE_MAX_CONNECTIONS", defaults.maxConnections, wholeNumber(1, 1e6), {
    about:
      "maximum number of open connections; at the limit, the one that is idle longest is closed, or the request gets 503"
  }),
  maxBodyBytes: make("PETSTORE_MAX_BODY_BYTES", defaults.maxBodyBytes, wholeNumber(1, 67_108_864), {
    about: "maximum size of a request body"
  }),
  requestTimeout: seconds("PETSTORE_REQUEST_TIMEOUT_SECONDS", defaults.requestTimeout, 1, {
    about: "time limit for receiving a whole request"
  }),
  keepAliveTimeout: seconds("PETSTORE_KEEP_ALIVE_SECONDS", defaults.keepAliveTimeout, 1, {
    about: "time until an idle connection is closed"
  }),
  sendTimeout: seconds("PETSTORE_SEND_TIMEOUT_SECONDS", defaults.sendTimeout, 1, {
    about: "time until a connection that does not read its response is closed"
  }),
  prestop: seconds("PETSTORE_PRESTOP_SECONDS", defaults.prestop, 0, {
    about: "time to keep serving after SIGTERM while `/readyz` answers 503"
  }),
  drainTimeout: seconds("PETSTORE_DRAIN_SECONDS", defaults.drainTimeout, 1, {
    about: "time limit for requests in flight at shutdown"
  }),
  logLevel: make("LOG_LEVEL", "info", caseless(SettingValues.logLevel), {
    about: "the minimum log level: trace, debug, info, warn, error, fatal or none"
  }),
  logFormat,
  logRequests: make(
    "LOG_REQUESTS",
    "errors",
    caseless(oneOf(["all", "writes", "errors", "none"] as const)),
    {
      about:
        "which requests to log: all, errors (status 400 and above), writes (and errors) or none"
    }
  ),
  slowRequest: make("LOG_SLOW_MILLISECONDS", 500, SettingValues.millis(1), {
    about: "requests that take at least this long are logged like errors"
  }),
  metricsPort: optional("PETSTORE_METRICS_PORT", "no metrics", wholeNumber(0, 65_535), {
    about: "the port for Prometheus metrics, at `/metrics`; 0 for any free port"
  }),
  ...tracing
}

/** All settings, in the order in which they are shown. */
export const settings: ReadonlyArray<Setting.About> = [
  ...Object.values(server),
  ...Object.values(calling)
].map(({ setting }) => setting)

/** Where the OpenAPI document says that the service is. */
const addressesOf = ({ baseUrl, stagingUrl }: Record<keyof typeof servers, string | undefined>) => {
  const named: ReadonlyArray<Server> = [
    ...(baseUrl === undefined ? [] : [{ url: baseUrl, description: "Production" }]),
    ...(stagingUrl === undefined ? [] : [{ url: stagingUrl, description: "Staging" }])
  ]
  return {
    servers: named.length > 0 ? named : undefined,
    basePath: baseUrl === undefined ? defaults.basePath : SettingValues.pathOf(baseUrl)
  }
}

export const addresses = Config.map(Config.all(servers), addressesOf)

/** The whole configuration of a server. */
export const AppConfig = Config.map(
  Config.all({ ...server, fd: PassedSocket.fd }),
  ({ apiKeys, corsOrigins, ...config }) => ({
    ...config,
    ...addressesOf(config),
    apiKeys: apiKeys ?? [],
    corsOrigins: corsOrigins ?? []
  })
)

export type AppConfig = Config.Config.Success<typeof AppConfig>
