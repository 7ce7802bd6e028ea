/** Reads a command line: finds the command, then its options and arguments. */
import * as Either from "effect/Either"
import type { Entry, Given, Place } from "./Entry.ts"
import { help } from "./Flag.ts"
import { unknown } from "./Unknown.ts"

/** A command line, its values not parsed yet; without values if it asks for help. */
type Words = Place & { readonly given?: Given }

const isHelp = (word: string) => word === help.name || word === "-h"

/** Reads a command line. Fails with a message for the user. */
export const read = (
  entry: Entry,
  words: ReadonlyArray<string>,
  command = entry.name
): Either.Either<Words, string> => {
  const at = words.findIndex((word) => !isHelp(word))
  const word = words[at]
  const { entries, fallback, flags } = entry
  if (entries.length === 0 || word === undefined) return readCommand({ command, entry }, words)
  const named = entries.find(({ name }) => name === word)
  if (named) return read(named, words.toSpliced(at, 1), `${command} ${named.name}`)
  if (!word.startsWith("-")) return Either.left(unknown("command", word, entries, command))
  const [option = word] = word.split("=")
  return fallback?.flags.some(({ name }) => name === option)
    ? read(fallback, words, `${command} ${fallback.name}`)
    : Either.left(unknown("option", option, [...flags, ...(fallback?.flags ?? [])], command))
}

const readCommand = (place: Place, words: ReadonlyArray<string>): Either.Either<Words, string> => {
  const { args, flags } = place.entry
  const given = new Map<string, ReadonlyArray<string>>()
  const positional: Array<string> = []
  const rest = words.values()
  for (const word of rest) {
    if (word === "--") {
      positional.push(...rest)
      break
    }
    // A negative number is an argument.
    if (!/^-[^0-9]/.test(word)) {
      positional.push(word)
      continue
    }
    const [, option = word, inline] = /^(--[^=]*)=(.*)$/s.exec(word) ?? []
    const flag = word === "-h" ? help : flags.find(({ name }) => name === option)
    if (flag === undefined) return Either.left(unknown("option", option, flags, place.command))
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
  if (given.has(help.name)) return Either.right(place)
  const missing = [
    ...flags.flatMap(({ isRequired, name }) => (isRequired && !given.has(name) ? [name] : [])),
    ...args.slice(positional.length).map(({ name }) => `<${name}>`)
  ]
  if (missing.length > 0) return Either.left(`${missing.join(" and ")} must be given`)
  const surplus = positional[args.length]
  if (surplus !== undefined) return Either.left(unknown("word", surplus, [], place.command))
  for (const [at, { name }] of args.entries()) given.set(name, positional.slice(at, at + 1))
  return Either.right({ ...place, given })
}
