/** Tables of requests and their answers. The fake answers them in the same way. */
import type { Case } from "../../../http-transport/test/support/Cases.ts"
import type * as Harness from "./Harness.ts"

export type { Case }

/** A table, and the options of the server that it is for. */
export interface Suite {
  readonly title: string
  readonly cases: ReadonlyArray<Case>
  readonly options: Omit<Harness.Options, "store">
}

/** An empty list of tables, and a function that adds one. */
export const tables = () => {
  const suites: Array<Suite> = []
  const suite = (title: string, cases: Suite["cases"], options: Suite["options"] = {}) =>
    void suites.push({ title, cases, options })
  return { suite, suites }
}
