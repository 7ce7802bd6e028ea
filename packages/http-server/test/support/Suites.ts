/** Tables of requests and their answers. The client's fake is held to them, too. */
import type { Expected } from "./Expected.ts"
import type * as Harness from "./Harness.ts"
import type { Request } from "./Request.ts"

/** What is asked, and what is answered; the answer may hang on the id that the next animal gets. */
export type Case = readonly [
  name: string,
  request: Request,
  answer: Expected | ((nextId: number) => Expected)
]

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
