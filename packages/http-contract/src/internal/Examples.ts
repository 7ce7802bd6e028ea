/** Examples in the OpenAPI document: what callers send and get, made-up but true. */
import type { Deprecation, SuccessHeaders } from "../Annotations.ts"
import type { ErrorCode } from "../ErrorBody.ts"

/** What the examples and the headers of an operation depend on. */
export interface Operation {
  readonly scope: string | undefined
  readonly deprecation: Deprecation["Type"] | undefined
  readonly successHeaders: SuccessHeaders["Type"]
  /** The methods of its path. */
  readonly allow: string
}

/** The examples of a request or a response, by name, as OpenAPI has them. */
export type Examples = Readonly<
  Record<string, { readonly summary: string; readonly value: unknown }>
>

const newPets = {
  available: {
    summary: "An animal for sale",
    value: { name: "Rex", categoryId: 1, status: "available" }
  },
  withoutStatus: {
    summary: "An animal without a status",
    value: { name: "Tom", categoryId: 2 }
  },
  large: {
    summary: "A large category id, and Unicode in the name",
    // The largest integer that is exact in every JSON parser: mock servers refuse larger ones.
    value: { name: "Žofie 🐈", categoryId: 9007199254740991, status: "pending" }
  }
} satisfies Examples

const pets = {
  available: { summary: newPets.available.summary, value: { id: 1, ...newPets.available.value } },
  withoutStatus: {
    summary: newPets.withoutStatus.summary,
    value: { id: 2, ...newPets.withoutStatus.value }
  },
  large: { summary: newPets.large.summary, value: { id: 3, ...newPets.large.value } }
} satisfies Examples

/** Of each operation, what callers may send and what they get. */
export const ofOperations: Readonly<
  Record<string, { readonly request?: Examples; readonly response: Examples }>
> = {
  listPets: {
    response: {
      page: { summary: "Some animals", value: Object.values(pets).map(({ value }) => value) },
      empty: { summary: "No animal", value: [] }
    }
  },
  createPet: { request: newPets, response: pets },
  getPet: { response: pets }
}

/** A message of each error code, at an operation. */
export const messagesAt = ({ allow, scope }: Operation): Readonly<Record<ErrorCode, string>> => ({
  malformed_json: "the body is empty",
  invalid_body:
    "name is required; categoryId must be an integer; status must be one of available, pending, sold",
  invalid_parameter: "limit must be a whole number from 1 to 100",
  bad_request: "the request needs exactly one Host header",
  unauthorized: "an API key is required: send the header Authorization: Bearer <key>",
  forbidden: `the API key lacks the scope ${scope}`,
  pet_not_found: "there is no pet 7",
  not_found: "there is nothing at this path",
  method_not_allowed: `this path answers ${allow}`,
  request_timeout: "the request arrived too slowly",
  gone: "this operation is gone; use /v1/pets instead",
  payload_too_large: "the body must have at most 65536 bytes",
  unsupported_media_type: "the Content-Type must be application/json",
  idempotency_key_reused:
    "this Idempotency-Key was used with another body: use a new one for another animal",
  rate_limited: "at most 600 requests in 60 s; wait 12 s",
  headers_too_large: "the request's headers are too large",
  internal_error: "something went wrong; tell us the id 0f6d3a1c9b2e-1k",
  unavailable: "the store is busy"
})
