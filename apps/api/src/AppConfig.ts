/** What the environment says: every variable, its default, and what is wrong with it. */
import { prefix } from "@petstore/http-contract/PetStoreApi"
import * as HttpListener from "@petstore/http-server/HttpListener"
import * as PetStoreServer from "@petstore/http-server/PetStoreServer"
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as LogLevel from "effect/LogLevel"
import * as Redacted from "effect/Redacted"
import * as DatabaseUrl from "./DatabaseUrl.ts"

type Parse<A> = (text: string) => Either.Either<A, string>

/** A variable whose complaint names it. */
const variable = <A>(name: string, description: string, parse: Parse<A>): Config.Config<A> =>
  Config.string(name).pipe(
    Config.mapOrFail((text) =>
      Either.mapLeft(parse(text), (fix) => ConfigError.InvalidData([name], `${name} ${fix}`))
    ),
    Config.withDescription(description)
  )

const wholeNumber =
  (from: number, to: number): Parse<number> =>
  (text) =>
    /^[0-9]{1,15}$/.test(text) && Number(text) >= from && Number(text) <= to
      ? Either.right(Number(text))
      : Either.left(`must be a whole number from ${from} to ${to}, not "${text}"`)

const seconds = (name: string, description: string, fallback: Duration.DurationInput) =>
  variable(name, description, wholeNumber(1, 3600)).pipe(
    Config.map(Duration.seconds),
    Config.withDefault(Duration.decode(fallback))
  )

const oneOf =
  <A>(choices: Readonly<Record<string, A>>): Parse<A> =>
  (text) => {
    const choice = Object.entries(choices).find(([name]) => name === text.toLowerCase())
    return choice === undefined
      ? Either.left(`must be one of ${Object.keys(choices).join(", ")}, not "${text}"`)
      : Either.right(choice[1])
  }

/** A base address ends in the version prefix, whether or not it was written. */
const baseUrl: Parse<string> = (text) => {
  const url = text.replace(/\/+$/, "")
  return /^https?:/.test(url) && URL.canParse(url)
    ? Either.right(url.endsWith(prefix) ? url : `${url}${prefix}`)
    : Either.left(`must be an address such as https://pets.example.org${prefix}, not "${text}"`)
}

const keys: Parse<ReadonlyArray<Redacted.Redacted>> = (text) => {
  const parts = text.split(",").map((key) => key.trim())
  return parts.every((key) => /^[\x21-\x7e]+$/.test(key))
    ? Either.right(parts.map((key) => Redacted.make(key)))
    : Either.left("must be keys without spaces, separated by commas")
}

const text: Parse<string> = (value) =>
  value === "" ? Either.left("must not be empty") : Either.right(value)

/** The whole configuration. */
export const AppConfig = Config.all({
  host: variable("HOST", "The address to listen on", text).pipe(Config.withDefault("127.0.0.1")),
  port: variable("PORT", "The port to listen on", wholeNumber(0, 65_535)).pipe(
    Config.withDefault(3000)
  ),
  database: variable("DATABASE_URL", "Where the pets are kept", DatabaseUrl.parse).pipe(
    Config.withDefault(DatabaseUrl.standard)
  ),
  cacheBytes: variable(
    "PETSTORE_CACHE_BYTES",
    "How many bytes of pages the store may keep in memory",
    wholeNumber(0, 1_073_741_824)
  ).pipe(Config.withDefault(16_777_216)),
  apiKeys: variable("PETSTORE_API_KEYS", "The keys to accept, comma-separated", keys).pipe(
    Config.option
  ),
  baseUrl: variable("PETSTORE_BASE_URL", "Where callers find the service", baseUrl).pipe(
    Config.option
  ),
  stagingUrl: variable("PETSTORE_STAGING_URL", "Where callers can try it", baseUrl).pipe(
    Config.option
  ),
  maxBodyBytes: variable(
    "PETSTORE_MAX_BODY_BYTES",
    "How large a request's body may be",
    wholeNumber(1, 1_073_741_824)
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
  drainTimeout: seconds(
    "PETSTORE_DRAIN_SECONDS",
    "How long requests in flight may take once the service stops",
    HttpListener.defaults.drainTimeout
  ),
  logLevel: variable(
    "LOG_LEVEL",
    "How much to log",
    oneOf({
      trace: LogLevel.Trace,
      debug: LogLevel.Debug,
      info: LogLevel.Info,
      warning: LogLevel.Warning,
      error: LogLevel.Error,
      fatal: LogLevel.Fatal,
      none: LogLevel.None
    })
  ).pipe(Config.withDefault(LogLevel.Info)),
  logFormat: variable(
    "LOG_FORMAT",
    "How to log",
    oneOf({ pretty: "pretty", json: "json", logfmt: "logfmt" } as const)
  ).pipe(Config.option)
})

/** The whole configuration. */
export type AppConfig = Config.Config.Success<typeof AppConfig>
