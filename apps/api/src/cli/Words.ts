/**
 * The words of a command line, put into the one form that `@effect/cli` reads without mistakes:
 * commands, options with their values, `--`, arguments. What no command knows is refused here, with
 * the nearest word that one does.
 */
import * as Either from "effect/Either"
import type { Entry } from "./Entry.ts"
import * as Flag from "./Flag.ts"
import { nearest } from "./Nearest.ts"

/** The way to a command, from the program down, and the words for the parser. */
export interface Words {
  readonly path: readonly [Entry, ...ReadonlyArray<Entry>]
  readonly words: ReadonlyArray<string>
  readonly isHelp: boolean
}

/** Reads the words of a command line. */
export const read = (root: Entry, words: ReadonlyArray<string>): Either.Either<Words, string> => {
  let path: Words["path"] = [root]
  let entry = root
  let isHelp = false
  const options: Array<string> = []
  const args: Array<string> = []
  const rest = [...words]

  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === "--") args.push(...rest.splice(0))
    else if (word === "--help" || word === "-h") isHelp = true
    else if (/^-[^0-9]/.test(word)) {
      const [, name = word, value] = /^(--[^=]+)=(.*)$/s.exec(word) ?? []
      const flag = entry.flags.find((flag) => `--${flag.name}` === name)
      if (flag === undefined) return Either.left(unknown("option", name, optionsOf(entry), path))
      if (flag.value === undefined) {
        if (value !== undefined) return Either.left(`${name} takes no value`)
        if (!options.includes(name)) options.push(name, "true")
      } else {
        const given = value ?? rest.shift()
        if (given === undefined) return Either.left(`${name} needs a value`)
        if (options.includes(name) && !flag.isRepeated) return Either.left(`${name} is given twice`)
        options.push(name, Flag.mark(given))
      }
    } else if (entry.entries.length > 0) {
      const next = entry.entries.find(({ name }) => name === word)
      const names = entry.entries.map(({ name }) => name)
      if (next === undefined) return Either.left(unknown("command", word, names, path))
      entry = next
      path = [...path, next]
    } else args.push(word)
  }
  const missing = [
    ...entry.flags
      .filter(({ isRequired, name }) => isRequired && !options.includes(`--${name}`))
      .map(({ name }) => `--${name}`),
    ...entry.args.slice(args.length).map(({ name }) => `<${name}>`)
  ]
  if (!isHelp && missing.length > 0) return Either.left(`${missing.join(" and ")} must be given`)
  const surplus = args[entry.args.length]
  if (surplus !== undefined) return Either.left(unknown("word", surplus, [], path))
  const way = path.slice(1).map(({ name }) => name)
  return Either.right({ path, isHelp, words: [...way, ...options, "--", ...args.map(Flag.mark)] })
}

/** What can be meant by an option here; those of serving go without a command, too. */
const optionsOf = (entry: Entry): ReadonlyArray<string> => {
  const serve = entry.entries.find(({ name }) => name === "serve")
  const own =
    serve === undefined ? [] : [...serve.flags, { name: "version" }, { name: "completions" }]
  return [...entry.flags, ...own, { name: "help" }].map(({ name }) => `--${name}`)
}

const unknown = (
  what: string,
  word: string,
  known: ReadonlyArray<string>,
  path: Words["path"]
): string => {
  const meant = nearest(word, known)
  const help = `${path.map(({ name }) => name).join(" ")} --help`
  const advice = meant === undefined ? `see ${help}` : `did you mean ${meant}?`
  return `unknown ${what} ${JSON.stringify(word)}: ${advice}`
}
