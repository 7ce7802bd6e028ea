/** A word of the command line: a command, or a group of them. */
import * as Command from "@effect/cli/Command"
import type * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import type { Failed } from "../Failed.ts"
import type { Argument, Flag } from "./Flag.ts"

/** What help tells of a word. */
export interface About {
  /** What it does, in a line. */
  readonly about: string
  /** How it is used, a command line each. */
  readonly examples: ReadonlyArray<string>
}

type Flags = Readonly<Record<string, Flag<unknown>>>
type Arguments = Readonly<Record<string, Argument<unknown>>>

/** What a handler is given, by the names that the command gives its options and arguments. */
type Given<F extends Flags, A extends Arguments> = {
  readonly [K in keyof F]: F[K] extends Flag<infer Value> ? Value : never
} & { readonly [K in keyof A]: A[K] extends Argument<infer Value> ? Value : never }

/** A command of the library, the types of its values forgotten. */
type Parser = Command.Command<string, never, Failed, { readonly values: never }>

/** A word of the command line, with all that parser, help and completions need. */
export interface Entry extends About {
  readonly name: string
  readonly flags: ReadonlyArray<Flag<unknown>>
  readonly args: ReadonlyArray<Argument<unknown>>
  readonly entries: ReadonlyArray<Entry>
  readonly parser: Parser
}

/** A command, and what it does. */
export const command = <const F extends Flags, const A extends Arguments>(
  name: string,
  about: About,
  { args, flags }: { readonly flags: F; readonly args: A },
  handler: (given: Given<F, A>) => Effect.Effect<void, Failed>
): Entry => {
  const parser = Command.make(
    name,
    { ...Record.map(flags, (flag) => flag.options), ...Record.map(args, (arg) => arg.args) },
    // The parser gives a value for every option and argument, under the same names.
    (given) => handler(given as unknown as Given<F, A>)
  )
  return {
    name,
    ...about,
    flags: Object.values(flags),
    args: Object.values(args),
    entries: [],
    parser: parser as unknown as Parser
  }
}

/** Commands under a common word. */
export const group = (
  name: string,
  about: About,
  entries: readonly [Entry, ...ReadonlyArray<Entry>]
): Entry => {
  const [first, ...others] = entries
  const parser = Command.make(name).pipe(
    Command.withSubcommands([first.parser, ...others.map((entry) => entry.parser)])
  )
  return { name, ...about, flags: [], args: [], entries, parser: parser as unknown as Parser }
}
