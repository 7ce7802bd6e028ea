/** The middle of what was seen, which one disturbed round cannot move. */
export const median = (values: ReadonlyArray<number>): number => {
  if (values.length === 0) return Number.NaN
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  const lower = sorted[middle - 1] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (lower + upper) / 2
}
