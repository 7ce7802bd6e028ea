/** Settings: environment variables with a description, a default and a parser. */
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Either from "effect/Either"
import type { Parse } from "../cli/Parse.ts"
import { plain } from "../cli/Secrets.ts"

export interface Presentation {
  readonly about: string
  /** Its value without secrets. */
  readonly shown?: (text: string) => string
}

/** What a person needs to know about a setting. */
export interface About extends Required<Presentation> {
  readonly name: string
  /** The default as it would be set, or in words if there is none. */
  readonly fallback: string
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

/** A setting with a default, which is parsed like any other value. */
export const make = <A>(
  name: string,
  fallback: string | number,
  parse: Parse<A>,
  presentation: Presentation
): Setting<A> => {
  const value = Either.getOrThrow(parse(String(fallback)))
  return withDefault(name, String(fallback), parse, presentation, value)
}

/** A setting without a default: what happens without it is described in words. */
export const optional = <A>(
  name: string,
  fallback: string,
  parse: Parse<A>,
  presentation: Presentation
): Setting<A | undefined> => withDefault(name, fallback, parse, presentation, undefined)

const withDefault = <A, B>(
  name: string,
  fallback: string,
  parse: Parse<A>,
  { about, shown = plain }: Presentation,
  value: B
): Setting<A | B> => {
  const config = text(name).pipe(
    Config.withDescription(about),
    Config.mapOrFail((text) =>
      Either.mapLeft(parse(text), (fix) => ConfigError.InvalidData([name], `${name} ${fix}`))
    ),
    Config.withDefault(value)
  )
  return Object.assign(config, { setting: { name, about, fallback, shown } })
}
