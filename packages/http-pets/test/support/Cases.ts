/** Runs tables of requests and their answers, on the store in memory: the laws of stores make others unnecessary. */
import { runner } from "../../../http-transport/test/support/Cases.ts"
import * as Connection from "./Connection.ts"
import * as Harness from "./Harness.ts"
import type { Suite } from "./Suites.ts"

const suite = runner(Harness.layer, Harness.count, Connection)

/** One test for each case of these tables. */
export const run = (suites: ReadonlyArray<Suite>): void => {
  for (const { cases, options, title } of suites) suite(title, cases, options)
}
