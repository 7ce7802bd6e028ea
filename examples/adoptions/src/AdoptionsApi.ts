/** The contract: pets, and adoptions beside them. */
import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Annotations, ErrorBody, PetStoreApi } from "@petstore/http-contract"
import { Schema } from "effect"
import { Adoption, NewAdoption } from "./Adoption.ts"

/** The scopes that a caller may have. */
export const scopes = [...PetStoreApi.scopes, "adoptions:read", "adoptions:write"] as const

/** The errors of adoptions: status, meaning, advice and an example of a message. */
export const errors = ErrorBody.define({
  adoption_not_found: [404, "There is no such adoption", "check the id", "there is no adoption 7"],
  already_adopted: [409, "The pet has been adopted", "choose another", "pet 7 has been adopted"]
})

/** The operations on adoptions. */
export class AdoptionsGroup extends HttpApiGroup.make("adoptions")
  .add(
    HttpApiEndpoint.post("createAdoption", "/adoptions")
      .setPayload(NewAdoption)
      .addSuccess(Adoption, { status: 201 })
      .addError(ErrorBody.OfBody)
      .addError(ErrorBody.schema("pet_not_found", "unavailable"))
      .addError(errors.schema("already_adopted"))
      .annotate(Annotations.RequiredScope, "adoptions:write")
  )
  .add(
    HttpApiEndpoint.get("getAdoption", "/adoptions/:adoptionId")
      .setPath(Schema.Struct({ adoptionId: Schema.UUID }))
      .addSuccess(Adoption)
      .addError(errors.schema("adoption_not_found"))
      .addError(ErrorBody.schema("unavailable"))
      .annotate(Annotations.RequiredScope, "adoptions:read")
  )
  .middleware(PetStoreApi.Authorization) {}

/** The whole API. */
export class AdoptionsApi extends HttpApi.make("adoptions")
  .add(PetStoreApi.PetsGroup)
  .add(AdoptionsGroup)
  .addError(ErrorBody.OfTransport)
  .prefix("/v1")
  .annotate(OpenApi.Title, "Adoptions")
  .annotate(OpenApi.Version, "1.0.0") {}
