/** Requests to the Pet Store. */
import { post } from "../../../http-transport/test/support/Request.ts"

export * from "../../../http-transport/test/support/Request.ts"

/** A request that adds this pet, or whatever the text is. */
export const create = (body: string | Uint8Array) => post("/v1/pets", body)
