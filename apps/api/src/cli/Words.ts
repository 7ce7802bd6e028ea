/** Reads a command line: finds the command, then its options and arguments. */
import * as Either from "effect/Either"
import { type Entry, type Given, last, type Path } from "./Entry.ts"
import { help } from "./Flag.ts"
import { unknown } from "./Unknown.ts"

/** A command line, its values not parsed yet. */
export interface Words {
  readonly path: Path
  readonly given: Given
  readonly isHelp: boolean
}

/** Reads a command line. Fails with a message for the user. */
export const read = (root: Entry, words: ReadonlyArray<string>): Either.Either<Words, string> => {
  let path: Path = [root]
  let entry = root
  const before: Array<string> = []
  let at = 0
  for (; entry.entries.length > 0; at++) {
    const word = words[at]
    if (word === undefined) break
    if (word === `--${help.name}` || word === "-h") {
      before.push(word)
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
  return readCommand(path, [...before, ...words.slice(at)])
}

/** The command that one of its options selects without being named. */
const fallbackOf = ({ fallback }: Entry, word: string): Entry | undefined =>
  fallback?.flags.some(({ name }) => word === `--${name}` || word.startsWith(`--${name}=`))
    ? fallback
    : undefined

/** Reads the options and arguments of the command at the end of the path. */
const readCommand = (path: Path, words: ReadonlyArray<string>): Either.Either<Words, string> => {
  const { args, flags } = last(path)
  const given = new Map<string, ReadonlyArray<string>>()
  const positional: Array<string> = []
  let isTerminated = false
  const rest = words.values()
  for (const word of rest) {
    // A negative number is an argument, and so is the `-` for standard input or output.
    if (isTerminated || !/^-[^0-9]/.test(word)) {
      positional.push(word)
      continue
    }
    if (word === "--") {
      isTerminated = true
      continue
    }
    const [, option = word, inline] = /^(--[^=]+)=(.*)$/s.exec(word) ?? []
    const flag = word === "-h" ? help : flags.find(({ name }) => option === `--${name}`)
    if (flag === undefined) return Either.left(unknown("option", option, path))
    if (flag.value === undefined) {
      if (inline !== undefined) return Either.left(`${option} takes no value`)
      given.set(flag.name, [""])
      continue
    }
    const values = given.get(flag.name) ?? []
    if (values.length > 0 && !flag.isRepeated) return Either.left(`${option} is given twice`)
    const value = inline ?? rest.next().value
    if (value === undefined) return Either.left(`${option} needs a value`)
    given.set(flag.name, [...values, value])
  }
  if (given.has(help.name)) return Either.right({ path, given, isHelp: true })
  const missing = [
    ...flags
      .filter(({ isRequired, name }) => isRequired && !given.has(name))
      .map(({ name }) => `--${name}`),
    ...args.slice(positional.length).map(({ name }) => `<${name}>`)
  ]
  if (missing.length > 0) return Either.left(`${missing.join(" and ")} must be given`)
  const surplus = positional[args.length]
  if (surplus !== undefined) return Either.left(unknown("word", surplus, path))
  for (const [at, { name }] of args.entries()) given.set(name, positional.slice(at, at + 1))
  return Either.right({ path, given, isHelp: false })
}
