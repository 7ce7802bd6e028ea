/** The driving port for pets, and its use cases. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { NewPet, Pet, PetId } from "./Pet.ts"
import type { ListPets, PetPage } from "./PetPage.ts"
import { type PetNotFound, PetStore } from "./PetStore.ts"
import type { StoreUnavailable } from "./StoreUnavailable.ts"

/** The catalogue of pets, as its callers use it. */
export class Pets extends Context.Tag("@petstore/domain/Pets")<
  Pets,
  {
    /** One page of the catalogue, by ascending id. */
    readonly list: (query: ListPets) => Effect.Effect<PetPage, StoreUnavailable>
    /** Adds a pet. */
    readonly add: (pet: NewPet) => Effect.Effect<Pet, StoreUnavailable>
    /** Adds a pet once, however often this is repeated with the same key. */
    readonly addOnce: PetStore["Type"]["addOnce"]
    /** Adds all of these pets or none; pets with an id keep it. */
    readonly addAll: PetStore["Type"]["addAll"]
    /** The pet with this id. */
    readonly get: (id: PetId) => Effect.Effect<Pet, PetNotFound | StoreUnavailable>
  }
>() {}

/** The use cases, on the store that is provided. */
export const layer: Layer.Layer<Pets, never, PetStore> = Layer.effect(
  Pets,
  Effect.map(PetStore, ({ add, addAll, addOnce, get, list }) =>
    Pets.of({ add, addAll, addOnce, get, list })
  )
)
