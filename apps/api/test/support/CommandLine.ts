/** Reads command lines without starting the program, from the source: the built program does not export it. */
import { Effect, Either } from "effect"

type CommandLine = typeof import("../../src/commands/CommandLine.ts")
type Words = typeof import("../../src/cli/Words.ts")
type Entry = typeof import("../../src/cli/Entry.ts")
type Terminal = typeof import("../../src/cli/Terminal.ts")
type Help = typeof import("../../src/cli/Help.ts")

// TypeScript rejects imports from another project's sources, so the paths are built at run time.
const source = new URL("../../src/", import.meta.url)
const CommandLine: CommandLine = await import(new URL("commands/CommandLine.ts", source).href)
const Words: Words = await import(new URL("cli/Words.ts", source).href)
const Entry: Entry = await import(new URL("cli/Entry.ts", source).href)
const Terminal: Terminal = await import(new URL("cli/Terminal.ts", source).href)
const Help: Help = await import(new URL("cli/Help.ts", source).href)

const read = (words: ReadonlyArray<string>) =>
  Either.getOrThrowWith(Words.read(CommandLine.root, words), (message) => new Error(message))

/** The values that a command line gives to an option or argument. */
export const given = (words: ReadonlyArray<string>, name: string) => read(words).given?.get(name)

/** The help that a command line asks for. */
export const help = (words: ReadonlyArray<string>): string => {
  const { given, ...place } = read(words)
  if (given && place.entry.run) throw new Error(`${words.join(" ")} does not ask for help`)
  return `${Help.render(place)}\n`
}

/** What is wrong with the words of a command line, if anything is; their values are not looked at. */
export const problemOf = (words: ReadonlyArray<string>): string | undefined =>
  Either.getOrUndefined(Either.flip(Words.read(CommandLine.root, words)))

/** The help of every command, for the documentation. */
export const pages = Entry.placesOf(CommandLine.root).map((place) => ({
  command: place.command,
  text: `${Help.render(place)}\n`
}))

/** Why a command line is rejected; the reason `usage` exits with 2. */
export const rejection = (words: ReadonlyArray<string>) =>
  CommandLine.run(words).pipe(
    Effect.flip,
    Effect.map(({ message, reason }) => ({ message, reason })),
    Effect.provideService(Terminal.Terminal, Terminal.current)
  )
