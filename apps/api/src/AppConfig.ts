/** The environment variables: descriptions, defaults and validation. */
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
import * as Databases from "./Databases.ts"
import { oneOf, type Parse, text, wholeNumber } from "./Parse.ts"

/** A variable with its description. Its error messages start with its name. */
const variable = <A>(
  name: string,
  about: string,
  parse: Parse<A>,
  text = Config.string(name)
): Config.Config<A> =>
  Config.mapOrFail(Config.withDescription(text, about), (text) =>
    Either.mapLeft(parse(text), (fix) => ConfigError.InvalidData([name], `${name} ${fix}`))
  )

const seconds = (name: string, about: string, fallback: Duration.DurationInput) =>
  variable(name, about, wholeNumber(1, 3600)).pipe(
    Config.map(Duration.seconds),
    Config.withDefault(Duration.decode(fallback))
  )

const levelOf = (name: string): LogLevel.LogLevel =>
  LogLevel.allLevels.find((level) => level._tag.toLowerCase() === name) ?? LogLevel.Info

const caseless =
  <A>(parse: Parse<A>): Parse<A> =>
  (text) =>
    parse(text.toLowerCase())

/** A base URL. The version prefix is added if it is missing. */
const baseUrl: Parse<string> = (text) => {
  const url = text.replace(/(?<!\/)\/+$/, "")
  return /^https?:\/\/[^@]*$/.test(url) && URL.canParse(url)
    ? Either.right(url.endsWith(prefix) ? url : `${url}${prefix}`)
    : Either.left(`must be a URL such as https://pets.example.org${prefix}, not "${text}"`)
}

const keys: Parse<ReadonlyArray<Redacted.Redacted>> = (text) => {
  const parts = text.split(",").map((key) => key.trim())
  return parts.every((key) => /^[\x21-\x7e]+$/.test(key))
    ? Either.right(parts.map((key) => Redacted.make(key)))
    : Either.left("must be comma-separated keys without spaces")
}

/** An API key. Its checksum detects typing errors before anything is sent. */
const apiKey: Parse<Redacted.Redacted> = (text) => {
  if (text === "") return Either.left("must be set to an API key; petstore keys create issues one")
  if (!/^[\x21-\x7e]+$/.test(text)) return Either.left("must be an API key without spaces")
  return text.startsWith("pet_") && !KeyText.isWellFormed(text)
    ? Either.left("is mistyped: checksum mismatch")
    : Either.right(Redacted.make(text))
}

/** The upper bound of `PETSTORE_MAX_BODY_BYTES`, and so of a pet's name. */
export const largestBody = 64 * 1024 * 1024

/** The database. */
export const database = variable(
  "DATABASE_URL",
  "The database of pets and API keys",
  Databases.parse
).pipe(Config.withDefault(Databases.standard))

const server = (name: string, description: string) =>
  variable(name, `${description} server of the OpenAPI document`, baseUrl).pipe(
    Config.map((url) => [{ url, description }]),
    Config.withDefault([])
  )

/** The `servers` of the OpenAPI document: those that are named, or the one that serves it. */
export const servers: Config.Config<ReadonlyArray<Server>> = Config.map(
  Config.all([
    server("PETSTORE_BASE_URL", "Production"),
    server("PETSTORE_STAGING_URL", "Staging")
  ]),
  (named) => (named.flat().length > 0 ? named.flat() : PetStoreServer.defaults.servers)
)

/** The configuration of commands that call a running service. */
export const client = Config.all({
  url: variable("PETSTORE_URL", "The URL of the service to call", baseUrl).pipe(
    Config.withDefault(`http://127.0.0.1:3000${prefix}`)
  ),
  key: variable(
    "PETSTORE_API_KEY",
    "The API key to call it with",
    apiKey,
    Config.withDefault(Config.string("PETSTORE_API_KEY"), "")
  )
})

const { defaults } = HttpListener

/** The whole configuration of a server. */
export const AppConfig = Config.all({
  host: variable("HOST", "The address to listen on", text).pipe(Config.withDefault("127.0.0.1")),
  port: variable("PORT", "The port to listen on", wholeNumber(0, 65_535)).pipe(
    Config.withDefault(3000)
  ),
  database,
  cacheBytes: variable(
    "PETSTORE_CACHE_BYTES",
    "Size of the store's page cache",
    wholeNumber(0, 1_073_741_824)
  ).pipe(Config.withDefault(16_777_216)),
  apiKeys: variable(
    "PETSTORE_API_KEYS",
    "Additional API keys to accept, comma-separated",
    keys
  ).pipe(Config.withDefault([])),
  servers,
  maxBodyBytes: variable(
    "PETSTORE_MAX_BODY_BYTES",
    "Maximum size of a request body",
    wholeNumber(1, largestBody)
  ).pipe(Config.withDefault(PetStoreServer.defaults.maxBodyBytes)),
  maxHeaderBytes: variable(
    "PETSTORE_MAX_HEADER_BYTES",
    "Maximum size of request headers",
    wholeNumber(1024, 1_048_576)
  ).pipe(Config.withDefault(defaults.maxHeaderBytes)),
  rateLimit: variable(
    "PETSTORE_REQUESTS_PER_MINUTE",
    "Maximum number of requests per key and minute, if there is one",
    wholeNumber(1, 1_000_000_000)
  ).pipe(
    Config.map((requestsPerMinute) => ({ requestsPerMinute })),
    Config.withDefault({})
  ),
  headersTimeout: seconds(
    "PETSTORE_HEADERS_TIMEOUT_SECONDS",
    "Time limit for receiving request headers",
    defaults.headersTimeout
  ),
  requestTimeout: seconds(
    "PETSTORE_REQUEST_TIMEOUT_SECONDS",
    "Time limit for receiving a whole request",
    defaults.requestTimeout
  ),
  keepAliveTimeout: seconds(
    "PETSTORE_KEEP_ALIVE_SECONDS",
    "Time until an idle connection is closed",
    defaults.keepAliveTimeout
  ),
  sendTimeout: seconds(
    "PETSTORE_SEND_TIMEOUT_SECONDS",
    "Time until a connection that does not read its response is closed",
    defaults.sendTimeout
  ),
  maxUnsentBytes: variable(
    "PETSTORE_MAX_UNSENT_BYTES",
    "Maximum number of unsent bytes, over all connections",
    wholeNumber(1_048_576, 17_179_869_184)
  ).pipe(Config.withDefault(defaults.maxUnsentBytes)),
  drainTimeout: seconds(
    "PETSTORE_DRAIN_SECONDS",
    "Time limit for requests in flight at shutdown",
    defaults.drainTimeout
  ),
  logLevel: variable(
    "LOG_LEVEL",
    "The minimum log level",
    caseless(oneOf(["trace", "debug", "info", "warning", "error", "fatal", "none"]))
  ).pipe(Config.map(levelOf), Config.withDefault(LogLevel.Info)),
  logFormat: variable(
    "LOG_FORMAT",
    "The log format; by default it depends on whether standard output is a terminal",
    caseless(oneOf(["pretty", "json", "logfmt"] as const))
  ).pipe(Config.option)
})

/** The whole configuration of a server. */
export type AppConfig = Config.Config.Success<typeof AppConfig>
