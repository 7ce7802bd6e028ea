/** What storage must do for the catalogue: the driven port. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { NewPet, Pet, PetId } from "./Pet.ts"
import type { ListPets, PetPage } from "./PetPage.ts"

/** Why a store could not do what it was asked: nothing was changed, and a later try may succeed. */
export class StoreUnavailable extends Schema.TaggedError<StoreUnavailable>()("StoreUnavailable", {
  reason: Schema.Literal("busy", "full", "damaged", "down"),
  cause: Schema.optional(Schema.Defect)
}) {
  override get message() {
    return `the store is ${this.reason}`
  }
}

/** Keeps the animals. Hold an implementation to its promises with `@petstore/store-testkit`. */
export class PetStore extends Context.Tag("@petstore/domain/PetStore")<
  PetStore,
  {
    /** Keeps a new pet and gives it the next id. Once this succeeds a durable store never loses it. */
    readonly add: (pet: NewPet) => Effect.Effect<Pet, StoreUnavailable>
    /** The pet with this id, if there is one. */
    readonly get: (id: PetId) => Effect.Effect<Option.Option<Pet>, StoreUnavailable>
    /** One page, by ascending id. `next` is there exactly when more pets follow. */
    readonly list: (query: ListPets) => Effect.Effect<PetPage, StoreUnavailable>
  }
>() {}
