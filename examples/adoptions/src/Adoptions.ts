/** The service: the contract with its handlers. */
import { randomUUID } from "node:crypto"
import { Pets } from "@petstore/domain/Pets"
import { PetHandlers } from "@petstore/http-adapter"
import { ApiServer, Handlers } from "@petstore/http-server"
import { Effect, Option } from "effect"
import { AdoptionStore } from "./Adoption.ts"
import { AdoptionsApi, type AdoptionsGroup, errors } from "./AdoptionsApi.ts"

/** What ApiServer and Mounting serve. Callers reach it at the base path, with which links start. */
export const at = (basePath: string) => ({
  ...ApiServer.defaultsOf("/v1"),
  ...{ api: AdoptionsApi, prefix: "/v1", realm: "adoptions", basePath },
  handlers: Effect.gen(function* () {
    const pets = yield* Pets
    const store = yield* AdoptionStore
    const adoptions: Handlers.Handlers<typeof AdoptionsGroup> = {
      createAdoption: ({ payload }) =>
        Effect.gen(function* () {
          yield* pets.get(payload.petId)
          const body = { id: randomUUID(), ...payload }
          yield* store.add(body)
          return Handlers.created(`/v1/adoptions/${body.id}`, body)
        }).pipe(
          Effect.mapError((error) => {
            if (error._tag === "StoreUnavailable") return Handlers.unavailable(error)
            return error._tag === "PetNotFound"
              ? { body: errors.make("pet_not_found", error.message) }
              : { body: errors.make("already_adopted", `pet ${payload.petId} has been adopted`) }
          })
        ),
      getAdoption: ({ path: { adoptionId } }) =>
        Effect.gen(function* () {
          const found = yield* Effect.mapError(store.get(adoptionId), Handlers.unavailable)
          if (Option.isSome(found)) return { body: found.value }
          return yield* Effect.fail({ body: errors.make("adoption_not_found", "no such adoption") })
        })
    }
    return { ...(yield* PetHandlers.make), ...adoptions }
  })
})
