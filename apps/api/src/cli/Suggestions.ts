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

/** The known word that was probably meant: up to two edits are a typing error. */
export const nearest = (word: string, known: ReadonlyArray<{ readonly name: string }>) =>
  [1, 2].flatMap((edits) => known.find(({ name }) => isWithin(edits, word, name)) ?? [])[0]

/** Whether this many insertions, deletions and replacements lead from a word to another. */
const isWithin = (edits: number, from: string, to: string): boolean => {
  if (Math.abs(from.length - to.length) > edits) return false
  if (from === "" || to === "") return true
  if (from[0] === to[0]) return isWithin(edits, from.slice(1), to.slice(1))
  return (
    isWithin(edits - 1, from.slice(1), to.slice(1)) ||
    isWithin(edits - 1, from.slice(1), to) ||
    isWithin(edits - 1, from, to.slice(1))
  )
}
