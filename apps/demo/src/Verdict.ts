/** Whether the catalogue has every acknowledged pet exactly once, and readers have seen all of it. */
import type { Pet } from "./Catalogue.ts"
import type { Load } from "./Load.ts"

/** What is wrong with the catalogue. */
export interface Verdict {
  /** Acknowledged pets that are not there, or differ. */
  readonly lost: ReadonlyArray<Pet>
  /** Pets that are there more than once, by id or by name. */
  readonly repeated: ReadonlyArray<Pet>
  /** How many are there that were not acknowledged: the answer to their add was lost. */
  readonly unacknowledged: number
  /** How many pets readers passed without seeing them, saw out of order, or saw as they are not. */
  readonly misread: number
}

/** Compares what was acknowledged and seen with the catalogue. */
export const of = (
  { acknowledged, seen, walks }: Pick<Load, "acknowledged" | "seen" | "walks">,
  catalogue: ReadonlyArray<Pet>
): Verdict => {
  const petOf = new Map(catalogue.map((pet) => [pet.id, JSON.stringify(pet)]))
  const ids = new Set<number>()
  const names = new Set<string>()
  const repeated = catalogue.filter(({ id, name }) => {
    const isRepeated = ids.has(id) || names.has(name)
    ids.add(id)
    names.add(name)
    return isRepeated
  })
  const isThere = (pet: Pet) => petOf.get(pet.id) === JSON.stringify(pet)
  const known = new Set(acknowledged.map(({ id }) => id))
  const misreadBy = (walk: ReadonlyArray<number>) => {
    const ofWalk = new Set(walk)
    const last = walk.at(-1) ?? 0
    const passed = catalogue.filter(({ id }) => id <= last && !ofWalk.has(id))
    const late = walk.filter((id, nth) => id <= (walk[nth - 1] ?? 0))
    return passed.length + late.length
  }
  return {
    lost: acknowledged.filter((pet) => !isThere(pet)),
    repeated,
    unacknowledged: catalogue.filter(({ id }) => !known.has(id)).length,
    misread: walks.reduce(
      (sum, walk) => sum + misreadBy(walk),
      [...seen.values()].filter((pet) => !isThere(pet)).length
    )
  }
}
