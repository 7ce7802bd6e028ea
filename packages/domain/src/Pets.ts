/** What the service does with animals: the driving port and its use cases. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Immediate from "./Immediate.ts"
import { type NewPet, type Pet, PetId } from "./Pet.ts"
import type { ListPets, PetPage } from "./PetPage.ts"
import { PetStore } from "./PetStore.ts"
import type { StoreUnavailable } from "./StoreUnavailable.ts"

/** No animal has this id. */
export class PetNotFound extends Schema.TaggedError<PetNotFound>()("PetNotFound", { id: PetId }) {
  override get message() {
    return `there is no pet ${this.id}`
  }
}

/** The catalogue, as its callers see it. */
export class Pets extends Context.Tag("@petstore/domain/Pets")<
  Pets,
  {
    /** One page of the catalogue, by ascending id. */
    readonly list: (query: ListPets) => Effect.Effect<PetPage, StoreUnavailable>
    /** Adds an animal. */
    readonly add: (pet: NewPet) => Effect.Effect<Pet, StoreUnavailable>
    /** Adds all of these animals or none; each keeps the id that it brings. */
    readonly addAll: PetStore["Type"]["addAll"]
    /** The animal with this id. */
    readonly get: (id: PetId) => Effect.Effect<Pet, PetNotFound | StoreUnavailable>
  }
>() {}

/** The use cases, on whichever store is provided. */
export const layer: Layer.Layer<Pets, never, PetStore> = Layer.effect(
  Pets,
  Effect.map(PetStore, (store) =>
    Pets.of({
      list: store.list,
      add: store.add,
      addAll: store.addAll,
      get: (id) =>
        Immediate.andThen(
          store.get(id),
          Option.match({
            onNone: () => Exit.fail(new PetNotFound({ id })),
            onSome: Exit.succeed
          })
        )
    })
  )
)
