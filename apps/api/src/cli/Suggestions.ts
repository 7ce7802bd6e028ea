/** Messages for unknown words, with the closest known one. */
import { withoutSecrets } from "@petstore/access/KeyText"

export const unknown = (
  what: "command" | "option" | "word",
  word: string,
  known: ReadonlyArray<{ readonly name: string }>,
  command: string,
  /** Commands of groups with this name. */
  below: ReadonlyArray<{ readonly name: string }> = []
): string => {
  // It may be a URL or a setting with a password.
  const shown = /[@=]|:\/\//.test(word) ? "***" : withoutSecrets(word)
  const message = `unknown ${what} ${JSON.stringify(shown)}`
  if (below.length > 0) {
    return `${message}: did you mean ${below.map(({ name }) => name).join(" or ")}?`
  }
  // More edits than these are unlikely to be a typing error.
  for (let edits = 1; edits <= Math.max(1, word.length / 3); edits++) {
    const nearest = known.find(({ name }) => isWithin(edits, word, name))
    if (nearest !== undefined) return `${message}: did you mean ${nearest.name}?`
  }
  return `${message}: see ${command} --help`
}

/** Whether this many insertions, deletions, replacements and swaps of neighbours lead from a word to another. */
const isWithin = (edits: number, from: string, to: string): boolean => {
  if (Math.abs(from.length - to.length) > edits) return false
  if (from === "" || to === "") return true
  if (from[0] === to[0]) return isWithin(edits, from.slice(1), to.slice(1))
  const isSwapped = from[0] === to[1] && from[1] === to[0]
  return (
    isWithin(edits - 1, from.slice(1), to.slice(1)) ||
    isWithin(edits - 1, from.slice(1), to) ||
    isWithin(edits - 1, from, to.slice(1)) ||
    (isSwapped && isWithin(edits - 1, from.slice(2), to.slice(2)))
  )
}
