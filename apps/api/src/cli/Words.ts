/** Reads a command line: finds the command, then its options and arguments. */
import { parseArgs } from "node:util"
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
  if (!word.startsWith("-")) {
    const below = entries.flatMap(({ entries, name }) =>
      entries.filter((next) => next.name === word).map((next) => ({ name: `${name} ${next.name}` }))
    )
    return Either.left(unknown("command", word, entries, command, below))
  }
  const [option = word] = word.split("=")
  return fallback?.flags.some(({ name }) => name === option)
    ? read(fallback, words, `${command} ${fallback.name}`)
    : Either.left(unknown("option", option, [...flags, ...(fallback?.flags ?? [])], command))
}

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
    if (flag === undefined) return Either.left(unknown("option", option, flags, place.command))
    const values = given.get(flag.name) ?? []
    const value = token.inlineValue ? token.value : words[token.index + 1]
    if (flag.value === undefined) {
      if (token.inlineValue) return Either.left(`${option} takes no value`)
      given.set(flag.name, [""])
    } else {
      if (values.length > 0 && !flag.isRepeated) return Either.left(`${option} is given twice`)
      if (value === undefined) return Either.left(`${option} needs a value`)
      given.set(flag.name, [...values, value])
    }
  }
  if (given.has(help.name)) return Either.right(place)
  const missing = [
    ...flags.flatMap(({ isRequired, name }) => (isRequired && !given.has(name) ? [name] : [])),
    ...args.slice(positional.length).map(({ name }) => `<${name}>`)
  ]
  if (missing.length > 0)
    return Either.left(`${missing.join(" and ")} must be given: see ${place.command} --help`)
  const surplus = positional[args.length]
  if (surplus !== undefined) return Either.left(unknown("word", surplus, [], place.command))
  for (const [at, { name }] of args.entries()) given.set(name, positional.slice(at, at + 1))
  return Either.right({ ...place, given })
}

const tokensOf = (flags: Entry["flags"], words: ReadonlyArray<string>) =>
  parseArgs({
    // A negative number is an argument; Node would split it into short options.
    args: words.map((word) => (/^-[0-9]/.test(word) ? "-" : word)),
    options: Object.fromEntries(
      flags.map(({ name, value }) => [name.slice(2), { type: value ? "string" : "boolean" }])
    ),
    strict: false,
    tokens: true
  }).tokens
