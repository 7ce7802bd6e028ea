/** Reads command lines without starting the program, from the source: the built program does not export it. */
import { Effect, Either } from "effect"
import * as Command from "../../src/cli/Command.ts"
import * as Help from "../../src/cli/Help.ts"
import * as Terminal from "../../src/cli/Terminal.ts"
import * as Tokens from "../../src/cli/Tokens.ts"
import * as CommandLine from "../../src/commands/CommandLine.ts"

const read = (words: ReadonlyArray<string>) =>
  Either.getOrThrowWith(Tokens.read(CommandLine.root, words), (message) => new Error(message))

/** The values that a command line gives to an option or argument. */
export const given = (words: ReadonlyArray<string>, name: string) => read(words).given?.get(name)

/** The help that a command line asks for. */
export const help = (words: ReadonlyArray<string>): string => {
  const { command, given, path } = read(words)
  if (given && command.run) throw new Error(`${words.join(" ")} does not ask for help`)
  return `${Help.render({ command, path })}\n`
}

/** What is wrong with the words of a command line, if anything is; their values are not looked at. */
export const problemOf = (words: ReadonlyArray<string>): string | undefined =>
  Either.getOrUndefined(Either.flip(Tokens.read(CommandLine.root, words)))

/** The help of every command. */
export const pages = Command.pathsOf(CommandLine.root).map((found) => ({
  command: found.path,
  text: `${Help.render(found)}\n`
}))

/** Why a command line is rejected; the reason `usage` exits with 2. */
export const rejection = (words: ReadonlyArray<string>) =>
  CommandLine.run(words).pipe(
    Effect.flip,
    Effect.map(({ message, reason }) => ({ message, reason })),
    Effect.provideService(Terminal.Terminal, Terminal.current)
  )
