/**
 * Results kept with the value that they are derived from. Decoding a query and encoding a page cost more
 * than the rest of a list, and callers repeat their queries while stores repeat their pages.
 */

const maxTexts = 512
const maxLength = 256

/** Keeps the results for a few hundred short texts. */
export const byText = <A>(derive: (text: string) => A): ((text: string) => A) => {
  const known = new Map<string, A>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    const result = derive(text)
    if (known.size >= maxTexts) known.clear()
    if (text.length <= maxLength) known.set(text, result)
    return result
  }
}

/**
 * Keeps the result for a frozen array for as long as the array is in use. Single objects are not kept: a store
 * in memory holds all its records, and each would hold its text as well.
 */
export const byArray = <A>(derive: (value: unknown) => A): ((value: unknown) => A) => {
  const known = new WeakMap<object, A>()
  return (value) => {
    if (!Array.isArray(value) || !Object.isFrozen(value)) return derive(value)
    const found = known.get(value)
    if (found !== undefined) return found
    const result = derive(value)
    known.set(value, result)
    return result
  }
}
