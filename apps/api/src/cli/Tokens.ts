/** Reads a command line: finds the command, then its options and arguments. */
import { parseArgs } from "node:util"
import * as Either from "effect/Either"
import type { Command, CommandPath, Given } from "./Command.ts"
import { help } from "./Flag.ts"
import { unknown } from "./Suggestions.ts"

/** A command line, its values not parsed yet; without values if it asks for help. */
type Parsed = CommandPath & { readonly given?: Given }

const isHelp = (word: string) => word === help.name || word === "-h"

/** Reads a command line. Fails with a message for the user. */
export const read = (
  command: Command,
  words: ReadonlyArray<string>,
  path = command.name
): Either.Either<Parsed, string> => {
  const at = words.findIndex((word) => !isHelp(word))
  const word = words[at]
  const { commands, fallback, flags } = command
  if (commands.length === 0 || word === undefined) return readCommand({ path, command }, words)
  const named = commands.find(({ name }) => name === word)
  if (named) return read(named, words.toSpliced(at, 1), `${path} ${named.name}`)
  if (!word.startsWith("-")) return Either.left(unknown("unknown command", word, commands, path))
  const [option = word] = word.split("=")
  return fallback?.flags.some(({ name }) => name === option)
    ? read(fallback, words, `${path} ${fallback.name}`)
    : Either.left(unknown("unknown option", option, [...flags, ...(fallback?.flags ?? [])], path))
}

const readCommand = (found: CommandPath, words: ReadonlyArray<string>) => {
  const { path } = found
  const { args, flags } = found.command
  const given = new Map<string, ReadonlyArray<string>>()
  const positional: Array<string> = []
  for (const token of tokensOf(flags, words)) {
    const word = words[token.index] ?? ""
    if (token.kind === "positional") positional.push(word)
    if (token.kind !== "option") continue
    const option = word.startsWith("--") ? token.rawName : word
    const flag = word === "-h" ? help : flags.find(({ name }) => name === option)
    if (flag === undefined) return Either.left(unknown("unknown option", option, flags, path))
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
  if (given.has(help.name)) return Either.right(found)
  const missing = [
    ...flags.flatMap(({ isRequired, name }) => (isRequired && !given.has(name) ? [name] : [])),
    ...args.slice(positional.length).map(({ name }) => `<${name}>`)
  ]
  if (missing.length > 0)
    return Either.left(`${missing.join(" and ")} must be given: see ${path} --help`)
  const surplus = positional[args.length]
  if (surplus !== undefined) return Either.left(unknown("unexpected argument", surplus, [], path))
  for (const [at, { name }] of args.entries()) given.set(name, positional.slice(at, at + 1))
  return Either.right({ ...found, given })
}

const tokensOf = (flags: Command["flags"], words: ReadonlyArray<string>) =>
  parseArgs({
    // A negative number is an argument; Node would split it into short options.
    args: words.map((word) => (/^-[0-9]/.test(word) ? "-" : word)),
    options: Object.fromEntries(
      flags.map(({ name, value }) => [name.slice(2), { type: value ? "string" : "boolean" }])
    ),
    strict: false,
    tokens: true
  }).tokens
