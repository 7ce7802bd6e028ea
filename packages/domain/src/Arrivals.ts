/** Assigns ids to the pets of an import, for stores that hold all ids in memory. */
import * as Arr from "effect/Array"
import * as Either from "effect/Either"
import * as Int64 from "./Int64.ts"
import { type Pet, PetId, petOf } from "./Pet.ts"
import { type Arrival, IdsTaken } from "./PetStore.ts"
import { StoreUnavailable } from "./StoreUnavailable.ts"

/** How many of the taken ids are named. */
const mostNamed = 100

/**
 * The pets by ascending id, as `PetStore.addAll` adds them: those that arrive with an id keep it, and the others
 * follow, in their order. Fails if an id is taken, by a pet of the store or by an earlier arrival, or if no id is left.
 */
export const assignIds = (
  arrivals: Iterable<Arrival>,
  store: {
    /** The greatest id that the store has assigned; 0 if it has assigned none. */
    readonly greatest: bigint
    readonly isTaken: (id: PetId) => boolean
  }
): Either.Either<ReadonlyArray<Pet>, IdsTaken | StoreUnavailable> => {
  const [withoutId, withId] = Arr.partitionMap(arrivals, ({ pet, place }) =>
    pet.id === undefined ? Either.left(pet) : Either.right({ place, id: pet.id, pet })
  )
  const ids = new Set<PetId>()
  const taken = withId.filter(({ id }) => ids.size === ids.add(id).size || store.isTaken(id))
  if (taken.length > 0) {
    const first = taken.slice(0, mostNamed).map(({ id, place }) => ({ id, place }))
    return Either.left(new IdsTaken({ taken: first, count: taken.length }))
  }
  let { greatest } = store
  for (const id of ids) if (id > greatest) greatest = id
  if (greatest + BigInt(withoutId.length) > Int64.max) return Either.left(full)
  return Either.right([
    ...withId.map(({ id, pet }) => petOf(id, pet)).sort(ascending),
    // These are int64s by construction.
    ...withoutId.map((pet) => petOf(PetId.make(++greatest, true), pet))
  ])
}

/** The failure of a store that has no id left. */
export const full = new StoreUnavailable({ reason: "full", cause: new Error("no id is left") })

const ascending = (a: Pet, b: Pet): number => (a.id < b.id ? -1 : 1)
