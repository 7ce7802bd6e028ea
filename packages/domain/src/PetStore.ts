/** What storage must do for the catalogue: the driven port. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import { type ImportedPet, type NewPet, type Pet, PetId } from "./Pet.ts"
import type { ListPets, PetPage } from "./PetPage.ts"
import type { StoreUnavailable } from "./StoreUnavailable.ts"

/** A pet to import, and its place where it comes from, such as the line of a file. */
export interface Arrival {
  readonly place: number
  readonly pet: ImportedPet
}

/** Some of the pets to import bring ids that others have. */
export class IdsTaken extends Schema.TaggedError<IdsTaken>()("IdsTaken", {
  /** The first hundred of them, by place. */
  taken: Schema.Array(Schema.Struct({ place: Schema.Int, id: PetId })),
  /** How many they are in all. */
  count: Schema.Int
}) {
  override get message() {
    return `${this.count} of the pets have ids that are taken`
  }
}

/** Keeps the animals. Hold an implementation to its promises with `@petstore/store-testkit`. */
export class PetStore extends Context.Tag("@petstore/domain/PetStore")<
  PetStore,
  {
    /**
     * Keeps a new pet and gives it the next id. Once this succeeds a durable store never loses it.
     * When no id is left, the store is full.
     */
    readonly add: (pet: NewPet) => Effect.Effect<Pet, StoreUnavailable>
    /**
     * Adds all of these pets and tells how many or, when any has an id that is taken, the stream
     * fails or this is interrupted before they go in, none. A pet keeps the id that it brings; the
     * others get the next ones after all of these, in order. Nobody sees some without the rest.
     */
    readonly addAll: <E>(
      pets: Stream.Stream<Arrival, E>
    ) => Effect.Effect<number, E | IdsTaken | StoreUnavailable>
    /** The pet with this id, if there is one. */
    readonly get: (id: PetId) => Effect.Effect<Option.Option<Pet>, StoreUnavailable>
    /** One page, by ascending id. `next` is there exactly when more pets follow. */
    readonly list: (query: ListPets) => Effect.Effect<PetPage, StoreUnavailable>
  }
>() {}
