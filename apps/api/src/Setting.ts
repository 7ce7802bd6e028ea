/** Settings: environment variables with a description, a default and a parser. */
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Either from "effect/Either"
import type { Parse } from "./Parse.ts"

/** What a person needs to know about a setting. */
export interface About {
  readonly name: string
  readonly about: string
  /** The default as it would be set, or in words if there is none. */
  readonly fallback: string
  /** Its value without secrets. */
  readonly shown: (text: string) => string
}

/** A setting, which is read as any other `Config`. */
export type Setting<A> = Config.Config<A> & { readonly setting: About }

/** The text of a variable. Compose files pass on variables that are not set as empty ones. */
export const text = (name: string): Config.Config<string> =>
  Config.mapOrFail(Config.string(name), (text) =>
    text === ""
      ? Either.left(ConfigError.MissingData([name], `${name} is empty`))
      : Either.right(text)
  )

/** Shows nothing of a value. */
export const secret = (): string => "***"

/** Shows a value that has no reason to hold a secret. */
export const plain = (text: string): string => (text.includes("@") ? secret() : text)

/** A setting with a default, which is parsed like any other value. */
export const make = <A>(
  name: string,
  about: string,
  fallback: string,
  parse: Parse<A>,
  shown = plain
): Setting<A> => {
  const config = Config.withDefault(parsed(name, about, parse), Either.getOrThrow(parse(fallback)))
  return Object.assign(config, { setting: { name, about, fallback, shown } })
}

/** A setting without a default: what happens without it is described in words. */
export const optional = <A>(
  name: string,
  about: string,
  fallback: string,
  parse: Parse<A>,
  shown = plain
): Setting<A | undefined> => {
  const config = Config.withDefault(parsed(name, about, parse), undefined)
  return Object.assign(config, { setting: { name, about, fallback, shown } })
}

const parsed = <A>(name: string, about: string, parse: Parse<A>) =>
  text(name).pipe(
    Config.withDescription(about),
    Config.mapOrFail((text) =>
      Either.mapLeft(parse(text), (fix) => ConfigError.InvalidData([name], `${name} ${fix}`))
    )
  )

// What follows the host holds no @: a special character in a password that is not encoded would end the host early.
const url = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#\s]*@)?([\w.,:%[\]-]*)(\/[^@?#\s]*)?(\?[^@#\s]*)?$/i

/** The scheme, host, port and path of a URL. All else may be secret, and so may any other text but a plain word or path. */
export const publicUrl = (text: string): string => {
  const [, scheme, user, host, path = "", query] = url.exec(text) ?? []
  if (scheme === undefined) return /^[\w./-]*$/.test(text) ? text : secret()
  return `${scheme}${user === undefined ? "" : "***@"}${host}${path}${query === undefined ? "" : "?***"}`
}
