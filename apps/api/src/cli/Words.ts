/** Reads a command line: finds the command, then its options and arguments. */
import * as Either from "effect/Either"
import type { Entry, Path } from "./Entry.ts"
import * as Given from "./Given.ts"
import { unknown } from "./Unknown.ts"

/** A command line, its values not parsed yet. */
export interface Words extends Given.Given {
  readonly path: Path
}

/** Reads a command line. Fails with a message for the user. */
export const read = (root: Entry, words: ReadonlyArray<string>): Either.Either<Words, string> => {
  let path: Path = [root]
  let entry = root
  let isHelp = false
  let at = 0
  for (; entry.entries.length > 0; at++) {
    const word = words[at]
    if (word === undefined) break
    if (Given.isHelpOption(word)) {
      isHelp = true
      continue
    }
    const named = entry.entries.find(({ name }) => name === word)
    const next = named ?? fallbackOf(entry, word)
    if (next === undefined) {
      const [name = word] = word.split("=")
      return Either.left(
        word.startsWith("-") ? unknown("option", name, path) : unknown("command", word, path)
      )
    }
    path = [...path, next]
    entry = next
    if (named === undefined) break
  }
  return Either.map(Given.read(path, words.slice(at), isHelp), (given) => ({ ...given, path }))
}

/** The command that one of its options selects without being named. */
const fallbackOf = ({ fallback }: Entry, word: string): Entry | undefined =>
  fallback?.flags.some(({ name }) => word === `--${name}` || word.startsWith(`--${name}=`))
    ? fallback
    : undefined
