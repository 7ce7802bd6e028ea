/** Reads a command line: finds the command, then its options and arguments. */
import { parseArgs } from "node:util"
import * as Either from "effect/Either"
import type { Entry, Given, Place } from "./Entry.ts"
import { help } from "./Flag.ts"
import { unknown } from "./Unknown.ts"

/** A command line, its values not parsed yet. */
export interface Words extends Place {
  readonly given: Given
  readonly isHelp: boolean
}

/** Reads a command line. Fails with a message for the user. */
export const read = (root: Entry, words: ReadonlyArray<string>): Either.Either<Words, string> => {
  let place: Place = { command: root.name, entry: root }
  const before: Array<string> = []
  let at = 0
  for (; place.entry.entries.length > 0; at++) {
    const word = words[at]
    if (word === undefined) break
    if (word === help.name || word === "-h") {
      before.push(word)
      continue
    }
    const { entries, fallback } = place.entry
    const named = entries.find(({ name }) => name === word)
    const [option = word] = word.split("=")
    const entry = named ?? (fallback?.flags.some(({ name }) => name === option) && fallback)
    if (!entry) {
      return Either.left(
        word.startsWith("-") ? unknown("option", option, place) : unknown("command", word, place)
      )
    }
    place = { command: `${place.command} ${entry.name}`, entry }
    // The option that selects a command belongs to it.
    if (named === undefined) break
  }
  return readCommand(place, [...before, ...words.slice(at)])
}

/** Reads the options and arguments of a command. */
const readCommand = (place: Place, words: ReadonlyArray<string>): Either.Either<Words, string> => {
  const { args, flags } = place.entry
  const given = new Map<string, ReadonlyArray<string>>()
  const positional: Array<string> = []
  for (const token of tokensOf(flags, words)) {
    const word = words[token.index] ?? ""
    if (token.kind === "positional") positional.push(word)
    if (token.kind !== "option") continue
    const option = word.startsWith("--") ? token.rawName : word
    const flag = word === "-h" ? help : flags.find(({ name }) => name === option)
    if (flag === undefined) return Either.left(unknown("option", option, place))
    const values = given.get(flag.name) ?? []
    if (flag.value === undefined) {
      if (token.inlineValue) return Either.left(`${option} takes no value`)
      given.set(flag.name, [""])
      continue
    }
    if (values.length > 0 && !flag.isRepeated) return Either.left(`${option} is given twice`)
    const value = token.inlineValue ? token.value : words[token.index + 1]
    if (value === undefined) return Either.left(`${option} needs a value`)
    given.set(flag.name, [...values, value])
  }
  if (given.has(help.name)) return Either.right({ ...place, given, isHelp: true })
  const missing = [
    ...flags
      .filter(({ isRequired, name }) => isRequired && !given.has(name))
      .map(({ name }) => name),
    ...args.slice(positional.length).map(({ name }) => `<${name}>`)
  ]
  if (missing.length > 0) return Either.left(`${missing.join(" and ")} must be given`)
  const surplus = positional[args.length]
  if (surplus !== undefined) return Either.left(unknown("word", surplus, place))
  for (const [at, { name }] of args.entries()) given.set(name, positional.slice(at, at + 1))
  return Either.right({ ...place, given, isHelp: false })
}

const tokensOf = (flags: Entry["flags"], words: ReadonlyArray<string>) => {
  const options = flags.map(({ name, value }) => {
    const type = value === undefined ? ("boolean" as const) : ("string" as const)
    return [name.slice(2), { type }] as const
  })
  return parseArgs({
    // A negative number is an argument; Node would split it into short options.
    args: words.map((word) => (/^-[0-9]/.test(word) ? "-" : word)),
    options: Object.fromEntries(options),
    strict: false,
    tokens: true
  }).tokens
}
