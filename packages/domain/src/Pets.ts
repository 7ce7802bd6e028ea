/** The driving port for pets, and its use cases: the place for rules. */
import * as Direct from "@petstore/kernel/Direct"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type * as Stream from "effect/Stream"
import * as Idempotency from "./Idempotency.ts"
import type { ListPets } from "./ListPets.ts"
import { isSame, type NewPet, type Pet, type PetId } from "./Pet.ts"
import type { PetPage } from "./PetPage.ts"
import { type Arrival, type IdsTaken, type PetNotFound, PetStore } from "./PetStore.ts"

/** The catalogue of pets, as its callers use it. */
export class Pets extends Context.Tag("@petstore/domain/Pets")<
  Pets,
  {
    /** One page, by ascending id. */
    readonly list: (query: ListPets) => Effect.Effect<PetPage, StoreUnavailable>
    /** The pet with this id. */
    readonly get: (id: PetId) => Effect.Effect<Pet, PetNotFound | StoreUnavailable>
    /**
     * Adds a pet. With a key it can be repeated for a day: the pet is added once. A key that was used for another pet is
     * refused.
     */
    readonly add: (
      pet: NewPet,
      key?: string
    ) => Effect.Effect<Idempotency.Added, Idempotency.IdempotencyRefused | StoreUnavailable>
    /** Adds all of these pets or none, and returns their number. */
    readonly import: <E>(
      pets: Stream.Stream<Arrival, E>
    ) => Effect.Effect<number, E | IdsTaken | StoreUnavailable>
  }
>() {}

/** The use cases, on the store that is provided. They need no fiber if those of the store do not: see `Direct`. */
export const layer: Layer.Layer<Pets, never, PetStore> = Layer.effect(
  Pets,
  Effect.gen(function* () {
    const store = yield* PetStore
    const clock = yield* Effect.clock
    const now = Direct.sync(() => Exit.succeed(clock.unsafeCurrentTimeMillis()))
    const add: Pets["Type"]["add"] = (pet, key) =>
      key === undefined
        ? Direct.map(store.add(pet), (added) => ({ pet: added, isRepeat: false }))
        : Direct.flatMap(
            Direct.flatMap(now, (at) => store.addOnce(pet, Idempotency.make(key, at))),
            // A rule of pets, whatever the store.
            (added) => (isSame(added.pet, pet) ? Exit.succeed(added) : refused)
          )
    return { list: store.list, get: store.get, add, import: store.addAll }
  })
)

const refused = Exit.fail(new Idempotency.IdempotencyRefused())
