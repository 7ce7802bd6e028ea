/** Whether the catalogue has every acknowledged pet exactly once. */
import type { Pet } from "./Load.ts"

/** What is wrong with the catalogue. */
export interface Verdict {
  /** Acknowledged pets that are not there, or have another name. */
  readonly lost: ReadonlyArray<Pet>
  /** Pets that are there more than once, by id or by name. */
  readonly repeated: ReadonlyArray<Pet>
  /** How many are there that were not acknowledged: the answer to their add was lost. */
  readonly unacknowledged: number
}

/** Compares what was acknowledged with the catalogue. */
export const of = (acknowledged: ReadonlyArray<Pet>, catalogue: ReadonlyArray<Pet>): Verdict => {
  const nameOf = new Map(catalogue.map(({ id, name }) => [id, name]))
  const ids = new Set<number>()
  const names = new Set<string>()
  const repeated = catalogue.filter(({ id, name }) => {
    const isRepeated = ids.has(id) || names.has(name)
    ids.add(id)
    names.add(name)
    return isRepeated
  })
  const known = new Set(acknowledged.map(({ id }) => id))
  return {
    lost: acknowledged.filter(({ id, name }) => nameOf.get(id) !== name),
    repeated,
    unacknowledged: catalogue.filter(({ id }) => !known.has(id)).length
  }
}
