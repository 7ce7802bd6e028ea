/** The values of settings: how each kind of text is parsed. */
import * as KeyText from "@petstore/access/KeyText"
import { prefix } from "@petstore/http-pets/PetStoreApi"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as LogLevel from "effect/LogLevel"
import * as Redacted from "effect/Redacted"
import { duration, oneOf, type Parse, wholeNumber } from "../cli/Parse.ts"
import { plain, publicUrl } from "../cli/Secrets.ts"

/** A base URL. The version prefix is added if it is missing. */
export const baseUrl: Parse<string> = (text) => {
  const url = text.replace(/(?<!\/)\/+$/, "")
  const isValid = /^https?:\/\/[^@?#\s]*$/.test(url) && URL.canParse(url)
  // A path that starts with two slashes would be the address of another server.
  return isValid && !pathOf(url).includes("//")
    ? Either.right(pathOf(url).endsWith(prefix) ? url : `${url}${prefix}`)
    : Either.left(
        `must be a URL such as https://pets.example.org${prefix}, not "${publicUrl(text)}"`
      )
}

export const pathOf = (url: string): string => new URL(url).pathname

export const minKeyLength = 16

export const apiKeys: Parse<ReadonlyArray<Redacted.Redacted>> = (text) => {
  const parts = text.split(",").map((key) => key.trim())
  if (!parts.every((key) => /^[\x21-\x7e]+$/.test(key))) {
    return Either.left("must be comma-separated keys without spaces")
  }
  return parts.every((key) => key.length >= minKeyLength)
    ? Either.right(parts.map((key) => Redacted.make(key)))
    : Either.left(`must be keys of at least ${minKeyLength} characters: short ones can be guessed`)
}

/** An API key. Its checksum detects typing errors before anything is sent. */
export const apiKey: Parse<Redacted.Redacted> = (text) => {
  if (!/^[\x21-\x7e]+$/.test(text)) return Either.left("must be an API key without spaces")
  return text.startsWith("pet_") && KeyText.idOf(text) === undefined
    ? Either.left("is mistyped: checksum mismatch")
    : Either.right(Redacted.make(text))
}

/** A number of requests and a time, such as `600/1m`. */
export const rateLimit: Parse<{ readonly count: number; readonly window: Duration.Duration }> = (
  text
) => {
  const [, first = "", second = ""] = /^([^/]*)\/([^/]*)$/.exec(text) ?? []
  const limit = Either.all({ count: wholeNumber(1, 1e9)(first), window: duration(second) })
  return Either.isRight(limit) && Duration.greaterThanOrEqualTo(limit.right.window, "1 second")
    ? limit
    : Either.left(`must be a number of requests and a time, such as 600/1m, not "${text}"`)
}

/** A number of milliseconds, up to ten minutes. */
export const millis =
  (from: number): Parse<Duration.Duration> =>
  (text) =>
    Either.map(wholeNumber(from, 600_000)(text), Duration.millis)

export const origins: Parse<ReadonlyArray<string>> = (text) => {
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

export const logLevel: Parse<LogLevel.LogLevel> = (text) =>
  Either.map(oneOf(Object.keys(logLevels))(text), (name) => logLevels[name] ?? LogLevel.Info)
