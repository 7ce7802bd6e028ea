/** The table of commands: help, completions, suggestions and parsing all read it. */
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Record from "effect/Record"
import { type CommandFailed, invalid } from "../CommandFailed.ts"
import * as Flag from "./Flag.ts"

/** The values that a command line gives to options and arguments, by name, not parsed yet. */
export type Given = ReadonlyMap<string, ReadonlyArray<string>>

/** What help says about a command. */
interface About {
  readonly name: string
  /** What it does, on one line. */
  readonly about: string
  /** Command lines that use it. */
  readonly examples: ReadonlyArray<string>
}

/** A command or a group of commands. */
export interface Entry extends About {
  readonly flags: ReadonlyArray<Flag.Flag<unknown>>
  readonly args: ReadonlyArray<Flag.Flag<unknown>>
  /** The commands of a group. */
  readonly entries: ReadonlyArray<Entry>
  /** The command of a group that its options select when no command is named. */
  readonly fallback?: Entry
  /** Parses what was given and runs the command. A group has none. */
  readonly run?: (given: Given) => Effect.Effect<void, CommandFailed>
}

/** An entry, and the words that lead to it, such as `petstore keys create`. */
export interface Place {
  readonly command: string
  readonly entry: Entry
}

type Flags = Readonly<Record<string, Flag.Flag<unknown>>>

/** The parsed options and arguments, under the keys that the command gives them. */
type Values<F extends Flags> = {
  readonly [K in keyof F]: F[K] extends Flag.Flag<infer Value> ? Value : never
}

/** A command with its options and arguments, and its handler. */
export const command = <const F extends Flags>(
  { flags, ...about }: About & { readonly flags: F },
  handler: (values: Values<F>) => Effect.Effect<void, CommandFailed>
): Entry => {
  const all = Object.values(flags)
  const parse = (given: Given) =>
    Either.all(
      Record.map<string, Flag.Flag<unknown>, Either.Either<unknown, string>>(flags, (flag) =>
        flag.parse(given.get(flag.name) ?? [])
      )
    )
  return {
    ...about,
    flags: [...all.filter(Flag.isOption), Flag.help],
    args: all.filter((flag) => !Flag.isOption(flag)),
    entries: [],
    run: (given) =>
      Either.match(parse(given), {
        onLeft: (message) => invalid(message),
        // Each value comes from the flag of its key; TypeScript cannot follow that.
        onRight: (values) => withVariables(all, given, handler(values as Values<F>))
      })
  }
}

/** Commands under a common name. */
export const group = (about: About, entries: ReadonlyArray<Entry>): Entry => ({
  ...about,
  flags: [Flag.help],
  args: [],
  entries
})

/** Overrides environment variables with the options that were given. */
const withVariables = <A, E>(
  flags: ReadonlyArray<Flag.Flag<unknown>>,
  given: Given,
  effect: Effect.Effect<A, E>
): Effect.Effect<A, E> => {
  const variables = new Map<string, string>()
  for (const { name, variable } of flags) {
    const [value] = given.get(name) ?? []
    if (variable !== undefined && value !== undefined) variables.set(variable, value)
  }
  return Effect.withConfigProvider(
    effect,
    ConfigProvider.orElse(ConfigProvider.fromMap(variables), () => ConfigProvider.fromEnv())
  )
}
