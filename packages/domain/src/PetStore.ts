/** The driven port: what a store of pets must do. */

import type * as Port from "@petstore/kernel/Port"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import type { Added, Idempotency } from "./Idempotency.ts"
import type { ListPets } from "./ListPets.ts"
import { type ImportedPet, type NewPet, type Pet, PetId } from "./Pet.ts"
import type { PetPage } from "./PetPage.ts"

/** No pet has this id. */
export class PetNotFound extends Schema.TaggedError<PetNotFound>()("PetNotFound", { id: PetId }) {
  override get message() {
    return `there is no pet ${this.id}`
  }
}

/** A pet to import, and its position in the source, such as the line of a file. */
export interface Arrival {
  readonly place: number
  readonly pet: ImportedPet
}

/** Some of the pets to import have ids that are taken. */
export class IdsTaken extends Schema.TaggedError<IdsTaken>()("IdsTaken", {
  /** The first hundred of them, by place. */
  taken: Schema.Array(Schema.Struct({ place: Schema.Int, id: PetId })),
  /** How many there are in all. */
  count: Schema.Int
}) {
  override get message() {
    return `${this.count} of the pets have ids that are taken`
  }
}

/** Stores pets, which never change. Test an implementation with `@petstore/store-testkit`. */
export class PetStore extends Context.Tag("@petstore/domain/PetStore")<
  PetStore,
  {
    /**
     * Adds a pet and assigns it the next id. Once this succeeds, a durable store never loses it. Fails
     * as full when no id is left.
     */
    readonly add: (pet: NewPet) => Effect.Effect<Pet, StoreUnavailable>
    /**
     * Adds a pet unless one was added with this key that has not expired: then this succeeds with that pet, as a repeat,
     * whatever it is. The key is kept in the same commit as the pet; an add that fails leaves none. Adds with one key that
     * are in progress at once wait for the first.
     */
    readonly addOnce: (
      pet: NewPet,
      idempotency: Idempotency
    ) => Effect.Effect<Added, StoreUnavailable>
    /**
     * Adds all of these pets and returns their number. Adds none when an id is taken, the stream fails
     * or this is interrupted before the commit. Pets with an id keep it; the others get the next ids
     * after all of those, in order. Readers see all of them or none.
     */
    readonly addAll: <E>(
      pets: Stream.Stream<Arrival, E>
    ) => Effect.Effect<number, E | IdsTaken | StoreUnavailable>
    /** The pet with this id. */
    readonly get: (id: PetId) => Effect.Effect<Pet, PetNotFound | StoreUnavailable>
    /** One page, by ascending id. `next` is there exactly when more pets follow. */
    readonly list: (query: ListPets) => Effect.Effect<PetPage, StoreUnavailable>
  }
>() {}

/** Which methods of the port write. */
export const writes = {
  add: true,
  addOnce: true,
  addAll: true,
  get: false,
  list: false
} satisfies Port.Writes<PetStore["Type"]>
