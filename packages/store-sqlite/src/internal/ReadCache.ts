/** A cache of what was read from the file, valid until the file changes. */

/** What to cache, and how much of it. */
export interface Options<Query, A> {
  /** Nothing is kept of `undefined`. */
  readonly read: (query: Query) => A
  /** The same for queries that read the same. */
  readonly keyOf: (query: Query) => unknown
  /** Roughly how many bytes a value takes. */
  readonly sizeOf: (value: NonNullable<A>) => number
  /** Values of about this many bytes are kept; the oldest are dropped first. */
  readonly maxBytes: number
  /** Changes whenever any process changes the file. It is called for every query. */
  readonly version: () => unknown
}

/** Reads, and keeps what was found. */
export const make = <Query, A>(options: Options<Query, A>): Options<Query, A>["read"] => {
  const { keyOf, maxBytes, read, sizeOf, version } = options
  const entries = new Map<unknown, { readonly value: A; readonly bytes: number }>()
  let total = 0
  let known: unknown

  return (query) => {
    const current = version()
    if (current !== known) {
      entries.clear()
      total = 0
      known = current
    }
    const key = keyOf(query)
    const found = entries.get(key)
    if (found !== undefined) return found.value
    const value = read(query)
    if (value === undefined || value === null) return value
    const bytes = sizeOf(value)
    if (bytes > maxBytes) return value
    for (const [oldest, dropped] of entries) {
      if (total + bytes <= maxBytes) break
      entries.delete(oldest)
      total -= dropped.bytes
    }
    entries.set(key, { value, bytes })
    total += bytes
    return value
  }
}
