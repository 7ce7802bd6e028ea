/** Tests of the Pet Store: tables of requests and their answers, and servers of a test's own. */
import { runner } from "../../../http-transport/test/support/Cases.ts"
import { testers } from "../../../http-transport/test/support/Served.ts"
import * as Connection from "./Conformance.ts"
import * as Harness from "./Harness.ts"
import type { Suite } from "./Suites.ts"

const suite = runner(Harness.layer, Harness.count, Connection)

/** One test for each case of these tables. */
export const run = (suites: ReadonlyArray<Suite>): void => {
  for (const { cases, options, title } of suites) suite(title, cases, options)
}

export const { clocked, served } = testers((options: Harness.Options = {}) =>
  Harness.layer({ ...options, listener: { drainTimeout: 0, ...options.listener } })
)
