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
  /** Whether its value is never to be shown. */
  readonly isSecret: boolean
}

/** A setting, which is read as any other `Config`. */
export type Setting<A> = Config.Config<A> & { readonly setting: About }

type Options = Omit<About, "isSecret"> & Partial<About>

const describe = <A>(config: Config.Config<A>, about: Options): Setting<A> =>
  Object.assign(config, { setting: { isSecret: false, ...about } })

/** The text of a variable. Compose files pass on variables that are not set as empty ones. */
export const text = (name: string): Config.Config<string> =>
  Config.mapOrFail(Config.string(name), (text) =>
    text === ""
      ? Either.left(ConfigError.MissingData([name], `${name} is empty`))
      : Either.right(text)
  )

const parsed = <A>({ about, name }: Options, parse: Parse<A>) =>
  text(name).pipe(
    Config.withDescription(about),
    Config.mapOrFail((text) =>
      Either.mapLeft(parse(text), (fix) => ConfigError.InvalidData([name], `${name} ${fix}`))
    )
  )

/** A setting with a default, which is parsed like any other value. */
export const make = <A>(about: Options, parse: Parse<A>): Setting<A> =>
  describe(
    Config.withDefault(parsed(about, parse), Either.getOrThrow(parse(about.fallback))),
    about
  )

/** A setting without a default. */
export const optional = <A>(about: Options, parse: Parse<A>): Setting<A | undefined> =>
  describe(Config.withDefault(parsed(about, parse), undefined), about)

/** A URL without its user name and passwords. Of a text that is no URL nothing before an @ is left. */
export const withoutPassword = (text: string): string => {
  if (!URL.canParse(text)) return text.replace(/^.*@/s, "***@")
  const url = new URL(text)
  const isInQuery = url.searchParams.has("password")
  if (isInQuery) url.searchParams.set("password", "***")
  if (url.username === "" && url.password === "") return isInQuery ? url.href : text
  return Object.assign(url, { username: "***", password: "" }).href
}
