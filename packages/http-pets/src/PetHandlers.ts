/** The handlers of pets: requests become calls of use cases, and their results answers. */
import type { ListPets } from "@petstore/domain/ListPets"
import { Pets } from "@petstore/domain/Pets"
import {
  created,
  type Handlers,
  type Headers,
  idempotencyKeyOf,
  unavailable
} from "@petstore/http-transport/Handlers"
import * as Paging from "@petstore/http-transport/Paging"
import * as Direct from "@petstore/kernel/Direct"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type PetsGroup, prefix } from "./PetStoreApi.ts"
import { errors } from "./PetStoreErrors.ts"

const path = `${prefix}/pets`

/** The handlers, on the use cases that are provided. */
export const make: Effect.Effect<Handlers<typeof PetsGroup>, never, Pets> = Effect.map(
  Pets,
  (pets) => ({
    listPets: ({ urlParams }) => {
      const { cursor } = urlParams
      const query: ListPets = cursor === undefined ? urlParams : { ...urlParams, after: cursor }
      return Direct.mapBoth(pets.list(query), {
        onFailure: unavailable,
        onSuccess: ({ next, pets }) => ({
          body: pets,
          headers: Paging.link(path, urlParams, {
            hasNext: Option.isSome(next),
            last: pets.at(-1)?.id
          })
        })
      })
    },
    createPet: ({ caller, headers: { "idempotency-key": key }, payload }) =>
      Direct.mapBoth(pets.add(payload, key && idempotencyKeyOf(caller, key)), {
        onFailure: (error) =>
          error._tag === "IdempotencyRefused" ? otherBody : unavailable(error),
        onSuccess: ({ isRepeat, pet }) => created(`${path}/${pet.id}`, pet, isRepeat)
      }),
    getPet: ({ path: { petId } }) =>
      Direct.mapBoth(pets.get(petId), {
        onFailure: (error) =>
          error._tag === "PetNotFound"
            ? { body: errors.make("pet_not_found", error.message) }
            : unavailable(error),
        onSuccess: (body) => ({ body, headers: none })
      })
  })
)

const none: Headers = []

const otherBody = {
  body: errors.make("idempotency_key_reused", errors.table.idempotency_key_reused.example)
}
