/** The contract: all paths, parameters, bodies and statuses of the HTTP API. */
import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import type * as ListPets from "@petstore/domain/ListPets"
import { NewPet, Pet, PetId } from "@petstore/domain/Pet"
import { defaultLimit, maxLimit, PageLimit } from "@petstore/domain/PetPage"
import { PetStatus } from "@petstore/domain/PetStatus"
import {
  Deprecation,
  Examples,
  RequiredScope,
  SuccessHeaders
} from "@petstore/http-transport/Annotations"
import { Authorization } from "@petstore/http-transport/Authorization"
import * as ErrorBody from "@petstore/http-transport/ErrorBody"
import * as IdempotencyKey from "@petstore/http-transport/IdempotencyKey"
import { Int64Text } from "@petstore/http-transport/Int64Text"
import * as Paging from "@petstore/http-transport/Paging"
import * as Int64 from "@petstore/kernel/Int64"
import * as Schema from "effect/Schema"
import * as PetExamples from "./internal/Examples.ts"
import { introductionOf } from "./internal/Introduction.ts"
import { errors } from "./PetStoreErrors.ts"

/** The name of the API. */
export const title = "Pet Store"

/** The version of the API. */
export const version = "1.0.0"

/** The version prefix of every path. */
export const prefix = "/v1"

/** The name of who authenticates callers. */
export const realm = "petstore"

const scope = { read: "pets:read", write: "pets:write" } as const

/** What each scope allows. */
const allowed = { [scope.read]: "list and get pets", [scope.write]: "add pets" }

/** The scopes that a caller may have. */
export const scopes = [scope.read, scope.write] as const

const limits = { initial: defaultLimit, max: maxLimit, items: "pets" }

/** `status` in the query. */
const StatusFilter = PetStatus.annotations({
  jsonSchema: {
    $ref: "#/components/schemas/PetStatus",
    description: "Only pets of this status; those without a status are in the unfiltered list only"
  }
})

/** The other parameters of a list, each as text. */
const parameters = {
  status: Schema.optionalWith(StatusFilter, { exact: true })
} satisfies { readonly [Name in keyof ListPets.Parameters]-?: unknown }

/** An id in a path. */
const PetIdText = Int64Text.pipe(Schema.brand("PetId")).annotations({
  message: () => ({ message: "must be the id of a pet", override: true }),
  jsonSchema: { ...Int64.jsonSchema, description: "The id of the pet", examples: [1] }
})

/** An array of pets. */
export const Pets = Schema.Array(Pet).annotations({
  identifier: "Pets",
  description: "Pets, by ascending id"
})

/** The operations on pets. */
export class PetsGroup extends HttpApiGroup.make("pets", { topLevel: true })
  .add(
    HttpApiEndpoint.get("listPets", "/pets")
      .setUrlParams(
        Schema.Struct({
          limit: Paging.limit(PageLimit, limits),
          ...parameters,
          cursor: Paging.cursor(PetId)
        })
      )
      .addSuccess(Pets)
      .addError(ErrorBody.schema("invalid_parameter", "unavailable"))
      .annotate(RequiredScope, scope.read)
      .annotate(SuccessHeaders, { Link: Paging.linkHeader(`${prefix}/pets`, limits) })
      .annotate(Examples, PetExamples.listPets)
      .annotate(OpenApi.Summary, "List pets")
      .annotate(
        OpenApi.Description,
        "Pets by ascending id, one page at a time. If more follow, the response has a `Link` header " +
          'with `rel="next"`; following it visits every pet exactly once.'
      )
  )
  .add(
    HttpApiEndpoint.post("createPet", "/pets")
      .setHeaders(
        Schema.Struct({
          "idempotency-key": Schema.optionalWith(IdempotencyKey.keptFor("24 hours"), {
            exact: true
          })
        })
      )
      .setPayload(NewPet)
      .addSuccess(Pet.annotations(HttpApiSchema.annotations({ identifier: "Pet", status: 201 })))
      .addError(errors.schema("malformed_json", "invalid_body", "payload_too_large"))
      .addError(errors.schema("unsupported_media_type", "idempotency_key_reused", "unavailable"))
      .annotate(RequiredScope, scope.write)
      .annotate(SuccessHeaders, IdempotencyKey.createdHeaders(`${prefix}/pets`, "pet"))
      .annotate(Examples, PetExamples.createPet)
      .annotate(OpenApi.Summary, "Add a pet")
      .annotate(
        OpenApi.Description,
        "Adds a pet and assigns it an id. Unknown fields are ignored, and so is `id`. The body may have up to " +
          "64 KiB, unless the service is configured otherwise. With an `Idempotency-Key`, the request can be sent " +
          "again, for example after a connection was lost: the pet is added once."
      )
  )
  .add(
    HttpApiEndpoint.get("getPet", "/pets/:petId")
      .setPath(Schema.Struct({ petId: PetIdText }))
      .addSuccess(Pet)
      .addError(errors.schema("pet_not_found", "gone", "unavailable"))
      .annotate(RequiredScope, scope.read)
      .annotate(Deprecation, {
        since: new Date("2026-11-14T00:00:00Z"),
        sunset: new Date("2030-12-05T00:00:00Z"),
        successor: "/pets"
      })
      .annotate(Examples, PetExamples.getPet)
      .annotate(OpenApi.Summary, "Get a pet")
      .annotate(
        OpenApi.Description,
        "One pet by its id. Deprecated: list pets instead, with a `status` if you know it, and look for the id."
      )
  )
  .middleware(Authorization)
  .annotate(OpenApi.Description, "The pets of the catalogue") {}

/** The whole API. */
export class PetStoreApi extends HttpApi.make("petstore")
  .add(PetsGroup)
  .addError(ErrorBody.OfTransport)
  .prefix(prefix)
  .annotate(OpenApi.Title, title)
  .annotate(OpenApi.Version, version)
  .annotate(OpenApi.Summary, "List, add and read the pets of a pet store")
  .annotate(OpenApi.Description, introductionOf(allowed))
  .annotate(OpenApi.Transform, ({ info, ...spec }) => ({
    ...spec,
    info: {
      ...info,
      contact: { name: "The operators of this Pet Store" },
      license: { name: "MIT", identifier: "MIT" }
    }
  })) {}

/** The API and what a server of it needs to know. */
export const contract = { api: PetStoreApi, prefix, realm }
