/** Options and arguments of commands; what is wrong with one is told by its name. */
import * as Args from "@effect/cli/Args"
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as Options from "@effect/cli/Options"
import * as ValidationError from "@effect/cli/ValidationError"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Option from "effect/Option"
import type { Parse } from "../Parse.ts"

/** An option of a command. */
export interface Flag<A> {
  readonly name: string
  /** What stands for its value in help, choices between bars; nothing when it takes none. */
  readonly value?: string
  readonly about: string
  /** Whether it must be given. */
  readonly isRequired: boolean
  /** Whether it may be given several times. */
  readonly isRepeated: boolean
  readonly options: Options.Options<A>
}

/** An argument of a command. */
export interface Argument<A> {
  readonly name: string
  readonly about: string
  readonly args: Args.Args<A>
}

type Facts = Pick<Flag<unknown>, "name" | "value" | "about">

/** Marks a value, so that the library takes none for a word of its own, such as `--` or `true`. */
export const mark = (value: string): string => `:${value}`

const unmark = (value: string): string => value.slice(1)

const parsed =
  <A>(complaintOf: (fix: string) => ValidationError.ValidationError, parse: Parse<A>) =>
  (text: string) =>
    Either.match(parse(unmark(text)), {
      onLeft: (fix) => Effect.fail(complaintOf(fix)),
      onRight: (value) => Effect.succeed(value)
    })

const complaint = (name: string) => (fix: string) =>
  ValidationError.invalidValue(HelpDoc.p(`--${name} ${fix}`))

/** An option that must be given. */
export const required = <A>(facts: Facts, parse: Parse<A>): Flag<A> => ({
  ...facts,
  isRequired: true,
  isRepeated: false,
  options: Options.mapEffect(Options.text(facts.name), parsed(complaint(facts.name), parse))
})

/** An option that may be left out. */
export const optional = <A>(facts: Facts, parse: Parse<A>): Flag<Option.Option<A>> => ({
  ...facts,
  isRequired: false,
  isRepeated: false,
  options: Options.optional(required(facts, parse).options)
})

/** An option that may be given several times. */
export const repeated = <A>(facts: Facts, parse: Parse<A>): Flag<ReadonlyArray<A>> => ({
  ...facts,
  isRequired: false,
  isRepeated: true,
  options: Options.text(facts.name).pipe(
    Options.repeated,
    Options.mapEffect(Effect.forEach(parsed(complaint(facts.name), parse)))
  )
})

/** An option without a value. */
export const toggle = (facts: Omit<Facts, "value">): Flag<boolean> => ({
  ...facts,
  isRequired: false,
  isRepeated: false,
  options: Options.boolean(facts.name)
})

/** An argument, which must be given. */
export const argument = <A>(
  facts: Omit<Argument<unknown>, "args">,
  parse: Parse<A>
): Argument<A> => ({
  ...facts,
  args: Args.text({ name: facts.name }).pipe(
    Args.mapEffect((text) =>
      Either.match(parse(unmark(text)), {
        onLeft: (fix) => Effect.fail(HelpDoc.p(`${facts.name} ${fix}`)),
        onRight: (value) => Effect.succeed(value)
      })
    )
  )
})
