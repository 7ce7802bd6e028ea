/** The contract: pets, and adoptions beside them. */
import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { PetStoreApi, PetStoreErrors } from "@petstore/http-adapter"
import { Annotations, Authorization, ErrorBody } from "@petstore/http-api"
import { Schema } from "effect"
import { Adoption, NewAdoption } from "./Adoption.ts"

/** The scopes that a caller may have. */
export const scopes = [...PetStoreApi.scopes, "adoptions:read", "adoptions:write"] as const

/** The errors of pets, and those of adoptions. */
export const errors = ErrorBody.define({
  ...PetStoreErrors.errors.table,
  adoption_not_found: { status: 404, meaning: "No such adoption", example: "no such adoption" },
  already_adopted: { status: 409, meaning: "The pet is adopted", example: "pet 7 has been adopted" }
})

/** The operations on adoptions. */
export class AdoptionsGroup extends HttpApiGroup.make("adoptions")
  .add(
    HttpApiEndpoint.post("createAdoption", "/adoptions")
      .setPayload(NewAdoption)
      .addSuccess(Adoption, { status: 201 })
      .addError(ErrorBody.OfBody)
      .addError(errors.schema("pet_not_found", "already_adopted", "unavailable"))
      .annotate(Annotations.RequiredScope, "adoptions:write")
  )
  .add(
    HttpApiEndpoint.get("getAdoption", "/adoptions/:adoptionId")
      .setPath(Schema.Struct({ adoptionId: Schema.UUID }))
      .addSuccess(Adoption)
      .addError(errors.schema("adoption_not_found", "unavailable"))
      .annotate(Annotations.RequiredScope, "adoptions:read")
  )
  .middleware(Authorization.Authorization)
  .annotate(OpenApi.Description, "Who has adopted which pet") {}

const owner = { contact: { name: "The shelter" }, license: { name: "MIT", identifier: "MIT" } }
const info = { title: "Adoptions", version: "1.0.0", description: "Pets to adopt", ...owner }

/** The whole API. */
export class AdoptionsApi extends HttpApi.make("adoptions")
  .add(PetStoreApi.PetsGroup)
  .add(AdoptionsGroup)
  .addError(ErrorBody.OfTransport)
  .prefix("/v1")
  .annotate(OpenApi.Override, { info }) {}
