/** A client of the fixture, whose responses are held to its document. */
import * as OpenApiDocument from "@petstore/http-transport/OpenApiDocument"
import * as Client from "./Client.ts"
import * as Conformance from "./Conformance.ts"
import * as Harness from "./Harness.ts"

export type { Connection } from "./Client.ts"
export { isListening } from "./Client.ts"

/** The status of each error code. */
export const statuses = { ...Conformance.statuses, thing_not_found: 404 }

export const { connect, exchange } = Client.make(
  Conformance.make(OpenApiDocument.make(Harness.api()), statuses).check
)
