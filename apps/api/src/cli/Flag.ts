/** Options and arguments of commands. Each parses its own text; errors start with its name. */
import * as Either from "effect/Either"
import { type Parse, text } from "../Parse.ts"

interface Facts {
  readonly name: string
  readonly about: string
  /** Placeholder of its value in help; choices are separated by bars. Absent if it takes none. */
  readonly value?: string
}

/** An option or a positional argument of a command. */
export interface Flag<A> extends Facts {
  /** Whether it is an argument: identified by its position, and required. */
  readonly isPositional?: boolean
  readonly isRequired?: boolean
  /** Whether it may be given several times. */
  readonly isRepeated?: boolean
  /** The environment variable that it overrides. */
  readonly variable?: string
  /** Parses the values given on the command line: at least one if required, at most one unless repeated. */
  readonly parse: (values: ReadonlyArray<string>) => Either.Either<A, string>
}

const named =
  <A>(name: string, parse: Parse<A>): Parse<A> =>
  (text) =>
    Either.mapLeft(parse(text), (fix) => `${name} ${fix}`)

/** An option that must be given. */
export const required = <A>(facts: Facts, parse: Parse<A>): Flag<A> => ({
  ...facts,
  isRequired: true,
  parse: ([value = ""]) => named(`--${facts.name}`, parse)(value)
})

/** An option that may be omitted. */
export const optional = <A>(facts: Facts, parse: Parse<A>): Flag<A | undefined> => ({
  ...facts,
  parse: ([value]) =>
    value === undefined ? Either.right(undefined) : named(`--${facts.name}`, parse)(value)
})

/** An option that overrides an environment variable while the command runs. */
export const variable = (variable: string, facts: Facts): Flag<string | undefined> => ({
  ...optional({ ...facts, about: `${facts.about} (${variable})` }, text),
  variable
})

/** An option that may be given several times. */
export const repeated = <A>(facts: Facts, parse: Parse<A>): Flag<ReadonlyArray<A>> => ({
  ...facts,
  isRepeated: true,
  parse: (values) => Either.all(values.map(named(`--${facts.name}`, parse)))
})

/** An option without a value. */
export const toggle = (name: string, about: string): Flag<boolean> => ({
  name,
  about,
  parse: (values) => Either.right(values.length > 0)
})

/** The option that every command has. */
export const help = toggle("help", "show this help; works after every command")

/** A positional argument. */
export const argument = <A>(name: string, about: string, parse: Parse<A>): Flag<A> => ({
  name,
  about,
  isPositional: true,
  parse: ([value = ""]) => named(name, parse)(value)
})
