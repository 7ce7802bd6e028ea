/** What the environment says: every variable, its default, and what is wrong with it. */
import * as KeyText from "@petstore/access/KeyText"
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

/** A variable whose complaint names it. */
const variable = <A>(name: string, description: string, parse: Parse<A>): Config.Config<A> =>
  checked(Config.string(name), name, description, parse)

const checked = <A>(
  config: Config.Config<string>,
  name: string,
  description: string,
  parse: Parse<A>
): Config.Config<A> =>
  config.pipe(
    Config.mapOrFail((text) =>
      Either.mapLeft(parse(text), (fix) => ConfigError.InvalidData([name], `${name} ${fix}`))
    ),
    Config.withDescription(description)
  )

const seconds = (name: string, description: string, fallback: Duration.DurationInput) =>
  variable(name, description, wholeNumber(1, 3600)).pipe(
    Config.map(Duration.seconds),
    Config.withDefault(Duration.decode(fallback))
  )

const levelOf = (name: string): LogLevel.LogLevel =>
  LogLevel.allLevels.find((level) => level._tag.toLowerCase() === name) ?? LogLevel.Info

const caseless =
  <A>(parse: Parse<A>): Parse<A> =>
  (text) =>
    parse(text.toLowerCase())

/** A base address ends in the version prefix, whether or not it was written. */
const baseUrl: Parse<string> = (text) => {
  const url = text.replace(/(?<!\/)\/+$/, "")
  return /^https?:\/\/[^@]*$/.test(url) && URL.canParse(url)
    ? Either.right(url.endsWith(prefix) ? url : `${url}${prefix}`)
    : Either.left(`must be an address such as https://pets.example.org${prefix}, not "${text}"`)
}

const keys: Parse<ReadonlyArray<Redacted.Redacted>> = (text) => {
  const parts = text.split(",").map((key) => key.trim())
  return parts.every((key) => /^[\x21-\x7e]+$/.test(key))
    ? Either.right(parts.map((key) => Redacted.make(key)))
    : Either.left("must be keys without spaces, separated by commas")
}

/** A slip of the hand shows in the checksum, before anything is sent. */
const apiKey: Parse<Redacted.Redacted> = (text) => {
  if (text === "") return Either.left("must be set to a key; petstore keys create issues one")
  if (!/^[\x21-\x7e]+$/.test(text)) return Either.left("must be a key, without spaces")
  return text.startsWith("pet_") && !KeyText.isWellFormed(text)
    ? Either.left("has a slip in it: its checksum does not fit")
    : Either.right(Redacted.make(text))
}

/** The upper bound of `PETSTORE_MAX_BODY_BYTES`, which bounds the names that the service accepts. */
export const largestBody = 64 * 1024 * 1024

/** Which database there is. */
export const database = variable(
  "DATABASE_URL",
  "Where the pets and the keys are kept",
  Databases.parse
).pipe(Config.withDefault(Databases.standard))

/** Where callers find the service, as its OpenAPI document tells. */
export const addresses = Config.all({
  baseUrl: variable("PETSTORE_BASE_URL", "Where callers find the service", baseUrl).pipe(
    Config.option
  ),
  stagingUrl: variable("PETSTORE_STAGING_URL", "Where callers can try it", baseUrl).pipe(
    Config.option
  )
})

/** What a caller of a running service says. */
export const client = Config.all({
  url: variable("PETSTORE_URL", "Where the service is", baseUrl).pipe(
    Config.withDefault(`http://127.0.0.1:3000${prefix}`)
  ),
  key: checked(
    Config.withDefault(Config.string("PETSTORE_API_KEY"), ""),
    "PETSTORE_API_KEY",
    "The key to call it with",
    apiKey
  )
})

/** The whole configuration of a server. */
export const AppConfig = Config.all({
  host: variable("HOST", "The address to listen on", text).pipe(Config.withDefault("127.0.0.1")),
  port: variable("PORT", "The port to listen on", wholeNumber(0, 65_535)).pipe(
    Config.withDefault(3000)
  ),
  database,
  cacheBytes: variable(
    "PETSTORE_CACHE_BYTES",
    "How many bytes of pages the store may keep in memory",
    wholeNumber(0, 1_073_741_824)
  ).pipe(Config.withDefault(16_777_216)),
  apiKeys: variable("PETSTORE_API_KEYS", "The keys to accept, comma-separated", keys).pipe(
    Config.option
  ),
  addresses,
  maxBodyBytes: variable(
    "PETSTORE_MAX_BODY_BYTES",
    "How large a request's body may be",
    wholeNumber(1, largestBody)
  ).pipe(Config.withDefault(PetStoreServer.defaults.maxBodyBytes)),
  maxHeaderBytes: variable(
    "PETSTORE_MAX_HEADER_BYTES",
    "How large a request's headers may be",
    wholeNumber(1024, 1_048_576)
  ).pipe(Config.withDefault(HttpListener.defaults.maxHeaderBytes)),
  requestsPerMinute: variable(
    "PETSTORE_REQUESTS_PER_MINUTE",
    "How often one key may be used in a minute",
    wholeNumber(1, 1_000_000_000)
  ).pipe(Config.option),
  headersTimeout: seconds(
    "PETSTORE_HEADERS_TIMEOUT_SECONDS",
    "How long a request's headers may take",
    HttpListener.defaults.headersTimeout
  ),
  requestTimeout: seconds(
    "PETSTORE_REQUEST_TIMEOUT_SECONDS",
    "How long a whole request may take to arrive",
    HttpListener.defaults.requestTimeout
  ),
  keepAliveTimeout: seconds(
    "PETSTORE_KEEP_ALIVE_SECONDS",
    "How long an idle connection is kept",
    HttpListener.defaults.keepAliveTimeout
  ),
  sendTimeout: seconds(
    "PETSTORE_SEND_TIMEOUT_SECONDS",
    "How long a connection may accept nothing of its answer",
    HttpListener.defaults.sendTimeout
  ),
  maxUnsentBytes: variable(
    "PETSTORE_MAX_UNSENT_BYTES",
    "How many bytes may wait to be sent, on all connections together",
    wholeNumber(1_048_576, 17_179_869_184)
  ).pipe(Config.withDefault(HttpListener.defaults.maxUnsentBytes)),
  drainTimeout: seconds(
    "PETSTORE_DRAIN_SECONDS",
    "How long requests in flight may take once the service stops",
    HttpListener.defaults.drainTimeout
  ),
  logLevel: variable(
    "LOG_LEVEL",
    "How much to log",
    caseless(oneOf(["trace", "debug", "info", "warning", "error", "fatal", "none"]))
  ).pipe(Config.map(levelOf), Config.withDefault(LogLevel.Info)),
  logFormat: variable(
    "LOG_FORMAT",
    "How to log",
    caseless(oneOf(["pretty", "json", "logfmt"] as const))
  ).pipe(Config.option)
})

/** The whole configuration of a server. */
export type AppConfig = Config.Config.Success<typeof AppConfig>
