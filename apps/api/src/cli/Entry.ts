/** The table of commands: help, completions, suggestions and parsing all read it. */
import type * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Record from "effect/Record"
import { CommandFailed } from "../CommandFailed.ts"
import * as Flag from "./Flag.ts"
import type { Given } from "./Given.ts"

/** What help says about a command. */
export interface About {
  /** What it does, on one line. */
  readonly about: string
  /** Command lines that use it. */
  readonly examples: ReadonlyArray<string>
}

/** A command or a group of commands. */
export interface Entry extends About {
  readonly name: string
  readonly flags: ReadonlyArray<Flag.Flag<unknown>>
  readonly args: ReadonlyArray<Flag.Argument<unknown>>
  /** The commands of a group. */
  readonly entries: ReadonlyArray<Entry>
  /** The command of a group that its options select when no command is named. */
  readonly fallback?: Entry
  /** Parses what was given and runs the command. A group has none. */
  readonly run?: (given: Given) => Effect.Effect<void, CommandFailed>
}

/** The entries from the program down to a command. */
export type Path = readonly [Entry, ...ReadonlyArray<Entry>]

/** The entry at the end of a path. */
export const last = (path: Path): Entry => path.at(-1) ?? path[0]

type Flags = Readonly<Record<string, Flag.Flag<unknown>>>
type Arguments = Readonly<Record<string, Flag.Argument<unknown>>>

/** The parsed options and arguments, under the keys that the command gives them. */
type Values<F extends Flags, A extends Arguments> = {
  readonly [K in keyof F]: F[K] extends Flag.Flag<infer Value> ? Value : never
} & { readonly [K in keyof A]: A[K] extends Flag.Argument<infer Value> ? Value : never }

/** A command with its handler. */
export const command = <const F extends Flags, const A extends Arguments>(
  name: string,
  about: About,
  { args, flags }: { readonly flags: F; readonly args: A },
  handler: (values: Values<F, A>) => Effect.Effect<void, CommandFailed>
): Entry => {
  const parse = (given: Given) =>
    Either.all({
      ...Record.map<string, Flag.Flag<unknown>, Either.Either<unknown, string>>(flags, (flag) =>
        flag.parse(given.options.get(flag.name) ?? [])
      ),
      ...Record.fromEntries(
        Object.entries(args).map(([key, arg], at) => [key, arg.parse(given.args[at] ?? "")])
      )
    })
  return {
    name,
    ...about,
    flags: [...Object.values(flags), Flag.help],
    args: Object.values(args),
    entries: [],
    run: (given) =>
      Either.match(parse(given), {
        onLeft: (message) => new CommandFailed({ message, reason: "usage" }),
        // Each value comes from the flag or argument of its key; TypeScript cannot follow that.
        onRight: (values) => handler(values as Values<F, A>)
      })
  }
}

/** Commands under a common name. */
export const group = (
  name: string,
  about: About,
  entries: ReadonlyArray<Entry>,
  options: { readonly flags?: ReadonlyArray<Flag.Flag<unknown>>; readonly fallback?: Entry } = {}
): Entry => ({
  name,
  ...about,
  args: [],
  entries,
  ...options,
  flags: [Flag.help, ...(options.flags ?? [])]
})
