/** Messages for unknown words, with the closest known one. */
import { withoutSecrets } from "@petstore/access/KeyText"

export const unknown = (
  what: "unknown command" | "unknown option" | "unexpected argument",
  word: string,
  known: ReadonlyArray<{ readonly name: string }>,
  command: string
): string => {
  // It may be a URL or a setting with a password.
  const shown = /[@=]|:\/\//.test(word) ? "***" : withoutSecrets(word)
  const meant = nearest(word, known)?.name
  const advice = meant === undefined ? `see ${command} --help` : `did you mean ${meant}?`
  return `${what} ${JSON.stringify(shown)}: ${advice}`
}

const maxEdits = 4

/** The known word that was probably meant. More edits are unlikely to be a typing error. */
export const nearest = (word: string, known: ReadonlyArray<{ readonly name: string }>) => {
  for (let edits = 1; edits <= Math.min(maxEdits, Math.max(1, word.length / 3)); edits++) {
    const found = known.find(({ name }) => isWithin(edits, word, name))
    if (found !== undefined) return found
  }
  return undefined
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
