/** A client of the Pet Store, whose responses are held to its document. */
import * as Client from "../../../http-transport/test/support/Client.ts"
import { check } from "./Conformance.ts"

export const { connect, exchange } = Client.make(check)
