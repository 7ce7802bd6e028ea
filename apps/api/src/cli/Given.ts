/** The options and arguments that a command line gives a command. */
import { parseArgs } from "node:util"
import * as Either from "effect/Either"
import { type Entry, last, type Path } from "./Entry.ts"
import { help } from "./Flag.ts"
import { unknown } from "./Unknown.ts"

/** Options by name, and arguments in order, not parsed yet. */
export interface Given {
  readonly options: ReadonlyMap<string, ReadonlyArray<string>>
  readonly args: ReadonlyArray<string>
  readonly isHelp: boolean
}

/** Whether the word asks for help. */
export const isHelpOption = (word: string): boolean => word === `--${help.name}` || word === "-h"

/** Reads the words after the command. Fails with a message for the user. */
export const read = (
  path: Path,
  words: ReadonlyArray<string>,
  isHelpBefore: boolean
): Either.Either<Given, string> => {
  const entry = last(path)
  const options = new Map<string, ReadonlyArray<string>>()
  const args: Array<string> = []
  let isHelp = isHelpBefore
  let isTerminated = false
  for (const token of tokenise(entry, words)) {
    const word = words[token.index] ?? ""
    if (token.kind === "option-terminator") isTerminated = true
    else if (token.kind === "positional") {
      if (isTerminated || !/^-[^0-9]/.test(word)) args.push(word)
      else if (isHelpOption(word)) isHelp = true
      else return Either.left(unknown("option", word, path))
    } else {
      const { inlineValue = false, name, rawName } = token
      const flag = entry.flags.find((flag) => flag.name === name)
      const values = options.get(name) ?? []
      if (flag === undefined) return Either.left(unknown("option", rawName, path))
      if (flag.value === undefined && inlineValue) return Either.left(`${rawName} takes no value`)
      if (flag.value !== undefined && values.length > 0 && !flag.isRepeated) {
        return Either.left(`${rawName} is given twice`)
      }
      const value = inlineValue
        ? token.value
        : flag.value === undefined
          ? ""
          : words[token.index + 1]
      if (value === undefined) return Either.left(`${rawName} needs a value`)
      options.set(name, [...values, value])
    }
  }
  if (isHelp || options.has(help.name)) return Either.right({ options, args, isHelp: true })
  const missing = [
    ...entry.flags
      .filter(({ isRequired, name }) => isRequired && !options.has(name))
      .map(({ name }) => `--${name}`),
    ...entry.args.slice(args.length).map(({ name }) => `<${name}>`)
  ]
  if (missing.length > 0) return Either.left(`${missing.join(" and ")} must be given`)
  const surplus = args[entry.args.length]
  return surplus === undefined
    ? Either.right({ options, args, isHelp })
    : Either.left(unknown("word", surplus, path))
}

/**
 * Node would split `-5.csv` into short options. `-h` is the only one, so words with one dash are hidden
 * from it and read from the command line by their index.
 */
const tokenise = (entry: Entry, words: ReadonlyArray<string>) =>
  parseArgs({
    args: words.map((word) => (/^-[^-]/.test(word) ? "-" : word)),
    options: Object.fromEntries(
      entry.flags.map(({ name, value }) => [
        name,
        { type: value === undefined ? ("boolean" as const) : ("string" as const) }
      ])
    ),
    strict: false,
    tokens: true
  }).tokens
