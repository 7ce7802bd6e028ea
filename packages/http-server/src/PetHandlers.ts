/** The handlers of pets: the only module of the transport that knows them. */
import { digest } from "@petstore/access/NodeKeyMaker"
import * as Direct from "@petstore/direct/Direct"
import type { Pet } from "@petstore/domain/Pet"
import type { ListPets, PetPage } from "@petstore/domain/PetPage"
import { Pets } from "@petstore/domain/Pets"
import * as Cursor from "@petstore/http-contract/Cursor"
import * as ErrorBody from "@petstore/http-contract/ErrorBody"
import type { PetsGroup } from "@petstore/http-contract/PetStoreApi"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Handlers, type Headers, unavailable } from "./Handlers.ts"

/** The handlers, on the use cases that are provided. Links start with the base path. */
export const make = (basePath: string): Effect.Effect<Handlers<typeof PetsGroup>, never, Pets> =>
  Effect.gen(function* () {
    const pets = yield* Pets
    const clock = yield* Effect.clock
    const path = `${basePath}/pets`
    return {
      listPets: ({ urlParams: { limit, status, cursor } }) => {
        const query: ListPets = {
          limit,
          ...(status !== undefined && { status }),
          ...(cursor !== undefined && { after: cursor })
        }
        return Direct.mapBoth(pets.list(query), {
          onFailure: unavailable,
          onSuccess: (page) => ({ body: page.pets, headers: linkOf(path, query, page) })
        })
      },
      createPet: ({ caller, headers: { "idempotency-key": key }, payload }) => {
        const created = (pet: Pet, ...headers: Headers) => ({
          body: pet,
          headers: ["Location", `${path}/${pet.id}`, ...headers]
        })
        if (key === undefined) {
          return Direct.mapBoth(pets.add(payload), { onFailure: unavailable, onSuccess: created })
        }
        // A key is one caller's; its digest has the same length for all.
        const once = {
          key: digest(`${caller.digest} ${key}`),
          at: clock.unsafeCurrentTimeMillis()
        }
        return Direct.mapBoth(pets.addOnce(payload, once), {
          onFailure: (error) =>
            error._tag === "IdempotencyRefused" ? otherBody : unavailable(error),
          onSuccess: ({ isRepeat, pet }) =>
            isRepeat ? created(pet, "Idempotent-Replayed", "true") : created(pet)
        })
      },
      getPet: ({ path: { petId } }) =>
        Direct.mapBoth(pets.get(petId), {
          onFailure: (error) =>
            error._tag === "PetNotFound"
              ? { body: ErrorBody.make("pet_not_found", error.message) }
              : unavailable(error),
          onSuccess: (body) => ({ body, headers: none })
        })
    }
  })

const none: Headers = []

const otherBody = {
  body: ErrorBody.make(
    "idempotency_key_reused",
    "this Idempotency-Key was used with another body: use a new one for another pet"
  )
}

/** The next page or, after the last one, where pets that are added later appear: `current` of RFC 5005. */
const linkOf = (path: string, query: ListPets, { next, pets }: PetPage): Headers => {
  const { after, limit, status } = query
  const cursor = Option.getOrElse(next, () => pets.at(-1)?.id ?? after)
  if (cursor === undefined) return none
  const filter = status === undefined ? "" : `&status=${status}`
  const relation = Option.isSome(next) ? "next" : "current"
  const target = `${path}?limit=${limit}${filter}&cursor=${Cursor.encode(cursor)}`
  return ["Link", `<${target}>; rel="${relation}"`]
}
