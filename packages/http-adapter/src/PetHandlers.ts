/** The handlers of pets: requests become calls of use cases, and their results answers. */
import { digest } from "@petstore/access/NodeKeyMaker"
import * as ListPets from "@petstore/domain/ListPets"
import type { PetPage } from "@petstore/domain/PetPage"
import { Pets } from "@petstore/domain/Pets"
import * as Cursor from "@petstore/http-api/Cursor"
import { type Handlers, type Headers, unavailable } from "@petstore/http-server/Handlers"
import * as Direct from "@petstore/kernel/Direct"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { PetsGroup } from "./PetStoreApi.ts"
import { errors } from "./PetStoreErrors.ts"

/** The handlers, on the use cases that are provided. Links start with the base path. */
export const make = (basePath: string): Effect.Effect<Handlers<typeof PetsGroup>, never, Pets> =>
  Effect.gen(function* () {
    const pets = yield* Pets
    const path = `${basePath}/pets`
    return {
      listPets: ({ urlParams }) => {
        const { cursor } = urlParams
        const query: ListPets.ListPets =
          cursor === undefined ? urlParams : { ...urlParams, after: cursor }
        return Direct.mapBoth(pets.list(query), {
          onFailure: unavailable,
          onSuccess: (page) => ({ body: page.pets, headers: linkOf(path, query, page) })
        })
      },
      createPet: ({ caller, headers: { "idempotency-key": key }, payload }) =>
        // A key is one caller's; its digest has the same length for all.
        Direct.mapBoth(pets.add(payload, key && digest(`${caller.digest} ${key}`)), {
          onFailure: (error) =>
            error._tag === "IdempotencyRefused" ? otherBody : unavailable(error),
          onSuccess: ({ isRepeat, pet }) => {
            const location = ["Location", `${path}/${pet.id}`]
            return {
              body: pet,
              headers: isRepeat ? [...location, "Idempotent-Replayed", "true"] : location
            }
          }
        }),
      getPet: ({ path: { petId } }) =>
        Direct.mapBoth(pets.get(petId), {
          onFailure: (error) =>
            error._tag === "PetNotFound"
              ? { body: errors.make("pet_not_found", error.message) }
              : unavailable(error),
          onSuccess: (body) => ({ body, headers: none })
        })
    }
  })

const none: Headers = []

const otherBody = {
  body: errors.make(
    "idempotency_key_reused",
    "this Idempotency-Key was used with another body: use a new one for another pet"
  )
}

/** The next page or, after the last one, where pets that are added later appear: `current` of RFC 5005. */
const linkOf = (path: string, query: ListPets.ListPets, { next, pets }: PetPage): Headers => {
  const cursor = Option.getOrElse(next, () => pets.at(-1)?.id ?? query.after)
  if (cursor === undefined) return none
  const relation = Option.isSome(next) ? "next" : "current"
  const target = `${path}?limit=${query.limit}${ListPets.textOf(query)}&cursor=${Cursor.encode(cursor)}`
  return ["Link", `<${target}>; rel="${relation}"`]
}
