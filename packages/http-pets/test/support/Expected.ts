/** What a response of the Pet Store must be, to the last byte. */
import * as Cursor from "@petstore/http-transport/Cursor"
import {
  challenges,
  createdAt,
  type Expected,
  refusals
} from "../../../http-transport/test/support/Expected.ts"
import { statuses } from "./Conformance.ts"

export * from "../../../http-transport/test/support/Expected.ts"

/** An error. */
export const refusal = refusals(statuses)

export const { forbidden, noKey, wrongKey } = challenges("petstore")

/** The answer to a pet that was added. */
export const created = createdAt("/v1/pets")

/** The same answer to a request that is repeated. */
export const replayed = (expected: Expected): Expected => ({
  ...expected,
  headers: [...expected.headers, "Idempotent-Replayed: true"]
})

/** The link of a list to what follows a pet. */
export const link =
  (relation: "next" | "current") =>
  (query: string, after: number | bigint): string =>
    `Link: </v1/pets?${query}&cursor=${Cursor.encode(BigInt(after))}>; rel="${relation}"`

/** Where pets that are added after this one appear. */
export const current = link("current")

/** The headers that announce the removal of getPet. */
export const deprecation = [
  "Deprecation: @1794614400",
  "Sunset: Thu, 05 Dec 2030 00:00:00 GMT",
  'Link: </v1/pets>; rel="successor-version"'
]

/** The answer to an id that is none. */
export const noId = refusal("pet_not_found", "petId must be the id of a pet", deprecation)

/** The response to an unknown id. */
export const noPet = (id: string): Expected =>
  refusal("pet_not_found", `there is no pet ${id}`, deprecation)
