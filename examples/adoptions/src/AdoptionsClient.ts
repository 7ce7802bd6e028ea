/** A client of the service: for pets, and for adoptions beside them. */
import * as Client from "@petstore/http-client/service"

/** 409: the pet has been adopted before. */
export class AlreadyAdopted extends Client.failure("already_adopted") {}

const fields = { petId: Client.int64, adopter: Client.text }
const toAdoption = Client.struct({ id: Client.text, ...fields })

const service = Client.defineService({
  name: "an adoptions service",
  prefix: "/v1",
  operations: {
    ...Client.petStore.operations,
    adoptions: {
      /** Adopts a pet. It is sent once: the service keeps no idempotency keys. */
      add: (adoption: NewAdoption) => ({
        name: "createAdoption",
        path: "/adoptions",
        method: "POST",
        body: Client.struct(fields)("the adoption", adoption),
        errors: [...Client.bodyCodes, "pet_not_found", "already_adopted"],
        decode: (body) => toAdoption("the answer", body)
      }),
      /** Gets an adoption by its id. */
      get: (id: string) => ({
        name: "getAdoption",
        path: `/adoptions/${encodeURIComponent(id)}`,
        errors: ["adoption_not_found"],
        decode: (body) => toAdoption("the answer", body)
      })
    }
  }
})

/** An adoption to add. */
export interface NewAdoption {
  readonly petId: bigint | number
  readonly adopter: string
}

/** Makes a client; throws if an option is missing or invalid. */
export const createAdoptions = (options: Client.Options) => Client.createClient(service, options)
