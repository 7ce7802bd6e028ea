/** The table of commands: help, completions, suggestions and parsing all read it. */
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import { CommandFailed, invalid } from "../CommandFailed.ts"
import * as Flag from "./Flag.ts"
import type { Terminal } from "./Terminal.ts"

/** The values that a command line gives to options and arguments, by name, not parsed yet. */
export type Given = ReadonlyMap<string, ReadonlyArray<string>>

/** A command or a group of commands. */
export interface Entry {
  readonly name: string
  readonly about: string
  /** What help says besides, a line each. */
  readonly notes?: ReadonlyArray<string>
  readonly examples: ReadonlyArray<string>
  readonly flags: ReadonlyArray<Flag.Flag<unknown>>
  readonly args: ReadonlyArray<Flag.Flag<unknown>>
  /** The commands of a group. */
  readonly entries: ReadonlyArray<Entry>
  /** The command of a group that its options select when no command is named. */
  readonly fallback?: Entry
  /** Parses what was given and runs the command. A group has none. */
  readonly run?: (given: Given) => Effect.Effect<void, CommandFailed, Terminal>
}

/** An entry, and the words that lead to it, such as `petstore keys create`. */
export interface Place {
  readonly command: string
  readonly entry: Entry
}

/** An entry and all below it. */
export const placesOf = (entry: Entry, command = entry.name): ReadonlyArray<Place> => [
  { command, entry },
  ...entry.entries.flatMap((next) => placesOf(next, `${command} ${next.name}`))
]

type About = Pick<Entry, "name" | "about" | "notes" | "examples">
type Flags = Readonly<Record<string, Flag.Flag<unknown>>>

/** The parsed options and arguments, under the keys that the command gives them. */
type Values<F extends Flags> = {
  readonly [K in keyof F]: F[K] extends Flag.Flag<infer Value> ? Value : never
}

export const command = <const F extends Flags>(
  { flags, ...about }: About & { readonly flags: F },
  handler: (values: Values<F>) => Effect.Effect<void, CommandFailed, Terminal>
): Entry => {
  const named: Flags = flags
  const all = Object.values(named)
  const isOption = ({ name }: Flag.Flag<unknown>) => name.startsWith("--")
  return {
    ...about,
    flags: [...all.filter(isOption), Flag.help],
    args: all.filter((flag) => !isOption(flag)),
    entries: [],
    run: (given) =>
      Effect.all(Record.map(named, ({ name, parse }) => parse(given.get(name) ?? []))).pipe(
        Effect.mapError((message) => invalid(message)),
        // Each value comes from the flag of its key; TypeScript cannot follow that.
        Effect.flatMap((values) => handler(values as Values<F>)),
        withVariables(all, given)
      )
  }
}

export const group = (about: About, entries: ReadonlyArray<Entry>): Entry => ({
  ...about,
  flags: [Flag.help],
  args: [],
  entries
})

/** Overrides environment variables with the options that were given. Errors then name the options. */
const withVariables = (flags: Entry["flags"], given: Given) => {
  const overridden = flags.flatMap(({ name, variable }) => {
    const [value] = given.get(name) ?? []
    return variable === undefined || value === undefined ? [] : [{ name, variable, value }]
  })
  const variables = new Map(overridden.map(({ value, variable }) => [variable, value]))
  const named = (message: string) =>
    overridden.reduce(
      (text, { name, variable }) => text.replaceAll(new RegExp(`\\b${variable}\\b`, "g"), name),
      message
    )
  return (effect: Effect.Effect<void, CommandFailed, Terminal>) =>
    Effect.configProviderWith((environment) =>
      Effect.withConfigProvider(
        effect,
        ConfigProvider.orElse(ConfigProvider.fromMap(variables), () => environment)
      )
    ).pipe(
      Effect.mapError(
        ({ cause, message, reason }) =>
          new CommandFailed({ cause, message: named(message), reason })
      )
    )
}
