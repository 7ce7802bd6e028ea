/** Reads a command line: finds the command, then its options and arguments. */
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
    const flag = word === "-h" ? help : flags.find(({ name }) => name === option)
    if (flag === undefined) return Either.left(unknown("option", option, place))
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
