/** Messages for unknown words, with the closest known one. */
import type { Entry } from "./Entry.ts"

/** The message for a word that a command does not know. */
export const unknown = (
  what: "command" | "option" | "word",
  word: string,
  known: ReadonlyArray<Pick<Entry, "name">>,
  command: string
): string => {
  // The closest known word, if it is close enough to be a likely typing error.
  const [nearest] = known
    .map(({ name }) => ({ name, distance: distanceOf(word, name) }))
    .filter(({ distance }) => distance <= Math.max(1, word.length / 3))
    .sort((a, b) => a.distance - b.distance)
  const advice = nearest ? `did you mean ${nearest.name}?` : `see ${command} --help`
  return `unknown ${what} ${JSON.stringify(word)}: ${advice}`
}

/** Edit distance: insertions, deletions, replacements and swaps of neighbours. */
const distanceOf = (from: string, to: string): number => {
  const rows = [Array.from({ length: to.length + 1 }, (_, index) => index)]
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY
  for (let i = 1; i <= from.length; i++) {
    const row = [i]
    rows.push(row)
    for (let j = 1; j <= to.length; j++) {
      const isSame = from[i - 1] === to[j - 1]
      const isSwapped = from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      const replaced = at(i - 1, j - 1) + (isSame ? 0 : 1)
      const swapped = isSwapped ? at(i - 2, j - 2) + 1 : replaced
      row.push(Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, replaced, swapped))
    }
  }
  return at(from.length, to.length)
}
