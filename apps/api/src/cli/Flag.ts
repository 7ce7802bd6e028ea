/** Options and arguments of commands. Each parses its own text; errors start with its name. */
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Parse } from "../Parse.ts"

/** An option of a command. */
export interface Flag<A> {
  readonly name: string
  /** Placeholder of its value in help; choices are separated by bars. Absent if it takes none. */
  readonly value?: string
  readonly about: string
  readonly isRequired: boolean
  /** Whether it may be given several times. */
  readonly isRepeated: boolean
  /** Parses the values given on the command line: at least one if required, at most one unless repeated. */
  readonly parse: (values: ReadonlyArray<string>) => Either.Either<A, string>
}

/** A positional argument of a command, always required. */
export interface Argument<A> {
  readonly name: string
  readonly about: string
  readonly parse: Parse<A>
}

type Facts = Pick<Flag<unknown>, "name" | "value" | "about">

const single = { isRequired: false, isRepeated: false }

const named =
  <A>(name: string, parse: Parse<A>): Parse<A> =>
  (text) =>
    Either.mapLeft(parse(text), (fix) => `${name} ${fix}`)

/** An option that must be given. */
export const required = <A>(facts: Facts, parse: Parse<A>): Flag<A> => {
  const parseValue = named(`--${facts.name}`, parse)
  return { ...facts, ...single, isRequired: true, parse: ([value = ""]) => parseValue(value) }
}

/** An option that may be omitted. */
export const optional = <A>(facts: Facts, parse: Parse<A>): Flag<Option.Option<A>> => {
  const parseValue = named(`--${facts.name}`, parse)
  return {
    ...facts,
    ...single,
    parse: ([value]) =>
      value === undefined
        ? Either.right(Option.none())
        : Either.map(parseValue(value), (one) => Option.some(one))
  }
}

/** An option that may be given several times. */
export const repeated = <A>(facts: Facts, parse: Parse<A>): Flag<ReadonlyArray<A>> => {
  const parseValue = named(`--${facts.name}`, parse)
  return {
    ...facts,
    ...single,
    isRepeated: true,
    parse: (values) => Either.all(values.map(parseValue))
  }
}

/** An option without a value. */
export const toggle = (facts: Omit<Facts, "value">): Flag<boolean> => ({
  ...facts,
  ...single,
  parse: (values) => Either.right(values.length > 0)
})

/** The option that every command has. */
export const help = toggle({ name: "help", about: "show this help; works after every command" })

/** A positional argument. */
export const argument = <A>(
  facts: Omit<Argument<unknown>, "parse">,
  parse: Parse<A>
): Argument<A> => ({ ...facts, parse: named(facts.name, parse) })
