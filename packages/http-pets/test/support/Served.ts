/** Tests of the Pet Store on a server of their own, which closes at once what a test has left open. */
import { testers } from "../../../http-transport/test/support/Served.ts"
import * as Harness from "./Harness.ts"

export const { clocked, served } = testers((options: Harness.Options = {}) =>
  Harness.layer({ ...options, listener: { drainTimeout: 0, ...options.listener } })
)
