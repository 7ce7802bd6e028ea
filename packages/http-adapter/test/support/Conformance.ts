/** The Pet Store's document, to which every response is held. */
import { contract } from "@petstore/http-adapter/PetStoreApi"
import * as PetStoreServer from "@petstore/http-adapter/PetStoreServer"
import * as OpenApiDocument from "@petstore/http-api/OpenApiDocument"
import * as Conformance from "../../../http-server/test/support/Conformance.ts"

/** The status of each error code, as the interface's users read it. */
export const statuses = {
  ...Conformance.statuses,
  pet_not_found: 404,
  idempotency_key_reused: 422
} as const

export const { allowOf, check } = Conformance.make(
  OpenApiDocument.make({ ...PetStoreServer.defaults, ...contract }),
  statuses
)
