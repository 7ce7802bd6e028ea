/** Options and arguments of commands. Each parses its own text; errors start with its name. */
import * as Either from "effect/Either"
import { type Parse, text } from "./Parse.ts"

export interface Flag<A> {
  /** `--name` for an option, `NAME` for an argument. */
  readonly name: string
  /** Placeholder of an option's value; choices are separated by bars. Absent if it takes none. */
  readonly value?: string | undefined
  readonly about: string
  readonly isRequired?: boolean
  readonly isRepeated?: boolean
  /** The environment variable that it overrides. */
  readonly variable?: string
  /** Parses the values given on the command line: at least one if required, at most one unless repeated. */
  readonly parse: (values: ReadonlyArray<string>) => Either.Either<A, string>
}

/** An option that may be given several times. Its usage is as in help: `--name NAME`. */
export const repeated = <A>(usage: string, about: string, parse: Parse<A>) => {
  const [name = usage, value] = usage.split(" ")
  const parseOne = (text: string) => Either.mapLeft(parse(text), (fix) => `${name} ${fix}`)
  const parseAll = (values: ReadonlyArray<string>) => Either.all(values.map(parseOne))
  return { name, value, about, isRepeated: true, parse: parseAll }
}

export const optional = <A>(usage: string, about: string, parse: Parse<A>): Flag<A | undefined> => {
  const flag = repeated(usage, about, parse)
  const first = (values: ReadonlyArray<string>) => Either.map(flag.parse(values), ([one]) => one)
  return { ...flag, isRepeated: false, parse: first }
}

/** An option that must be given, or an argument: its usage is only a name. */
export const required = <A>(usage: string, about: string, parse: Parse<A>): Flag<A> => {
  const flag = optional(usage, about, parse)
  const missing = () => `${flag.name} must be given`
  const first = (values: ReadonlyArray<string>) =>
    Either.flatMap(flag.parse(values), Either.fromNullable(missing))
  return { ...flag, isRequired: true, parse: first }
}

/** An option that overrides an environment variable while the command runs. */
export const variable = (usage: string, about: string, variable: string): Flag<unknown> => ({
  ...optional(usage, `${about} (${variable})`, text),
  variable
})

export const toggle = (name: string, about: string): Flag<boolean> => ({
  name,
  about,
  parse: (values) => Either.right(values.length > 0)
})

/** The option that every command has. */
export const help = toggle("--help", "show this help; works after every command")
