/** The table of commands: help, suggestions and parsing all read it. */
import { readFileSync } from "node:fs"
import { parseEnv } from "node:util"
import type { ConfigError } from "effect/ConfigError"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Record from "effect/Record"
import type { Scope } from "effect/Scope"
import { CommandFailed, exitCodes, fromConfig, invalid } from "./CommandFailed.ts"
import * as Flag from "./Flag.ts"
import { text } from "./Parse.ts"
import { printError, setVariable, Terminal } from "./Terminal.ts"

/** The values that a command line gives to options and arguments, by name, not parsed yet. */
export type Given = ReadonlyMap<string, ReadonlyArray<string>>

export interface Command {
  readonly name: string
  readonly about: string
  /** What help says besides, a line each. */
  readonly notes?: ReadonlyArray<string>
  readonly examples?: ReadonlyArray<string>
  readonly flags: ReadonlyArray<Flag.Flag<unknown>>
  readonly args: ReadonlyArray<Flag.Flag<unknown>>
  readonly commands: ReadonlyArray<Command>
  /** The command of a group that its options select when no command is named. */
  readonly fallback?: Command
  /** Parses what was given and runs the command. A group has none. */
  readonly run?: (given: Given) => Effect.Effect<void, CommandFailed, Terminal>
}

/** A command, and the words that lead to it, such as `petstore keys create`. */
export interface CommandPath {
  readonly path: string
  readonly command: Command
}

export const pathsOf = (command: Command, path = command.name): ReadonlyArray<CommandPath> => [
  { path, command },
  ...command.commands.flatMap((next) => pathsOf(next, `${path} ${next.name}`))
]

type About = Pick<Command, "name" | "about" | "notes" | "examples">
type Flags = Readonly<Record<string, Flag.Flag<unknown>>>

/** The parsed options and arguments, under the keys that the command gives them. */
type Values<F extends Flags> = {
  readonly [K in keyof F]: F[K] extends Flag.Flag<infer Value> ? Value : never
}

/** A command. What its handler acquires is released when it ends. */
export const make = <const F extends Flags>(
  {
    flags,
    runsToTheEnd = false,
    ...about
  }: About & {
    readonly flags: F
    /** Whether it ends by itself, whatever signals arrive; parts of its handler may be interruptible. */
    readonly runsToTheEnd?: boolean
  },
  handler: (values: Values<F>) => Effect.Effect<void, CommandFailed | ConfigError, Terminal | Scope>
): Command => {
  const named: Flags = flags
  const all = Object.values(named)
  const isOption = ({ name }: Flag.Flag<unknown>) => name.startsWith("--")
  return {
    ...about,
    flags: [...all.filter(isOption), envFile, Flag.help],
    args: all.filter((flag) => !isOption(flag)),
    commands: [],
    run: (given) =>
      Effect.all(Record.map(named, ({ name, parse }) => parse(given.get(name) ?? []))).pipe(
        Effect.mapError((message) => invalid(message)),
        // Each value comes from the flag of its key; TypeScript cannot follow that.
        Effect.flatMap((values) => handler(values as Values<F>)),
        Effect.mapError((error) => (error._tag === "CommandFailed" ? error : fromConfig(error))),
        Effect.scoped,
        withVariables(all, given),
        runsToTheEnd ? toTheEnd : identity,
        (command) => Effect.zipRight(Effect.forEach(given.get(envFile.name) ?? [], load), command)
      )
  }
}

/** An option of all commands, so that they use the database of a service that reads the same file. */
const envFile = Flag.optional(
  "--env-file FILE",
  "a file of environment variables, such as that of the service; they override others",
  text
)

/** Sets the variables of a file of lines such as `NAME=value`. */
const load = (file: string) =>
  Effect.try({
    try: () => {
      const variables = parseEnv(readFileSync(file, "utf8"))
      for (const [name, value = ""] of Object.entries(variables)) setVariable(name, value)
    },
    catch: (error) => invalid(`--env-file ${file} cannot be read (${String(error)})`)
  })

/** Reports the failure here, since Effect drops those of a fiber that was interrupted. */
const toTheEnd: typeof identity<Effect.Effect<void, CommandFailed, Terminal>> = (command) =>
  command.pipe(
    Effect.catchIf(
      // These are found before anything is done, and explained elsewhere.
      ({ reason }) => reason !== "usage",
      ({ message, reason }) =>
        Effect.gen(function* () {
          const terminal = yield* Terminal
          if (message !== "") yield* printError(message)
          terminal.exitCode = exitCodes[reason].code
          return yield* new CommandFailed({ message: "", reason })
        })
    ),
    Effect.uninterruptible
  )

export const group = (about: About, commands: ReadonlyArray<Command>): Command => ({
  ...about,
  flags: [Flag.help],
  args: [],
  commands
})

/** Overrides environment variables with the options that were given. Errors then name the options. */
const withVariables = (flags: Command["flags"], given: Given) => {
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
    Effect.configProviderWith((environment) => {
      const provider = ConfigProvider.orElse(ConfigProvider.fromMap(variables), () => environment)
      return Effect.withConfigProvider(effect, provider)
    }).pipe(
      Effect.mapError(
        ({ cause, message, reason }) =>
          new CommandFailed({ cause, message: named(message), reason })
      )
    )
}
