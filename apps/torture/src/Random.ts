/** Random numbers that a seed repeats. */

/** A source of random numbers. */
export interface Random {
  /** At least 0, and less than 1. */
  readonly next: () => number
  /** An integer of at least 0, and less than this. */
  readonly below: (limit: number) => number
  /** One of these. */
  readonly pick: <A>(choices: readonly [A, ...ReadonlyArray<A>]) => A
  /** This many random bytes. */
  readonly bytes: (length: number) => Buffer
}

/** The numbers that belong to a seed and a name, so that experiments do not depend on each other. */
export const make = (seed: number, name: string): Random => {
  let state = seed
  for (const character of name)
    state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193)
  // Mulberry32.
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    next,
    below,
    pick: ([first, ...others]) => others[below(others.length + 1) - 1] ?? first,
    bytes: (length) => Buffer.from(Array.from({ length }, () => below(256)))
  }
}
