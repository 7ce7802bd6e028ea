/** The Pet Store's document, and a client that holds every response to it. */
import { contract } from "@petstore/http-pets/PetStoreApi"
import * as PetStoreServer from "@petstore/http-pets/PetStoreServer"
import * as OpenApiDocument from "@petstore/http-transport/OpenApiDocument"
import * as Client from "../../../http-transport/test/support/Client.ts"
import * as Conformance from "../../../http-transport/test/support/Conformance.ts"

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

export const { connect, exchange } = Client.make(check)
