/** Messages for unknown words, with the closest known one. */
import { last, type Path } from "./Entry.ts"

/** The message for an unknown option. */
export const unknownOption = (word: string, path: Path): string => {
  const { fallback, flags } = last(path)
  const names = [...flags, ...(fallback?.flags ?? [])].map(({ name }) => `--${name}`)
  return describe("option", word.replace(/=.*/s, ""), names, path)
}

/** The message for an unknown command. */
export const unknownCommand = (word: string, path: Path): string =>
  describe(
    "command",
    word,
    last(path).entries.map(({ name }) => name),
    path
  )

/** The message for an argument that the command does not take. */
export const unknownWord = (word: string, path: Path): string => describe("word", word, [], path)

const describe = (what: string, word: string, known: ReadonlyArray<string>, path: Path): string => {
  const suggestion = nearest(word, known)
  const help = `${path.map(({ name }) => name).join(" ")} --help`
  const advice = suggestion === undefined ? `see ${help}` : `did you mean ${suggestion}?`
  return `unknown ${what} ${JSON.stringify(word)}: ${advice}`
}

/** The closest known word, if it is close enough to be a likely typing error. */
const nearest = (word: string, known: ReadonlyArray<string>): string | undefined =>
  known
    .map((name) => ({ name, distance: distanceOf(word, name) }))
    .filter(({ distance }) => distance <= Math.max(1, word.length / 3))
    .sort((a, b) => a.distance - b.distance)[0]?.name

/** Edit distance: insertions, deletions, replacements and swaps of neighbours. */
const distanceOf = (from: string, to: string): number => {
  const rows = [Array.from({ length: to.length + 1 }, (_, index) => index)]
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY
  for (let i = 1; i <= from.length; i++) {
    rows[i] = [i]
    for (let j = 1; j <= to.length; j++) {
      const isSame = from[i - 1] === to[j - 1]
      const isSwapped = from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      rows[i]?.push(
        Math.min(
          at(i - 1, j) + 1,
          at(i, j - 1) + 1,
          at(i - 1, j - 1) + (isSame ? 0 : 1),
          isSwapped ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY
        )
      )
    }
  }
  return at(from.length, to.length)
}
