/** Adoptions in memory, for tests. */
import { Effect, Layer, Option } from "effect"
import { type Adoption, AdoptionStore, AlreadyAdopted } from "./Adoption.ts"

/** A new, empty store each time this is built. */
export const layer = Layer.sync(AdoptionStore, () => {
  const all: Array<Adoption> = []
  return {
    add: (adoption) =>
      Effect.suspend(() => {
        if (all.some(({ petId }) => petId === adoption.petId)) return new AlreadyAdopted()
        all.push(adoption)
        return Effect.void
      }),
    get: (id) => Effect.sync(() => Option.fromNullable(all.find((one) => one.id === id)))
  }
})
