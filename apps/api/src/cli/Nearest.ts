/** Which word was meant by one that is not known. */

/** The word that is nearest, if one is near enough to have been meant. */
export const nearest = (word: string, known: ReadonlyArray<string>): string | undefined =>
  known
    .map((name) => ({ name, distance: distanceOf(word, name) }))
    .filter(({ distance }) => distance <= Math.max(1, word.length / 3))
    .sort((a, b) => a.distance - b.distance)[0]?.name

/** How many letters must be put in, taken out, replaced or swapped to make one word of another. */
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
