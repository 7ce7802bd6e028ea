/** Helpers for `petstore import`. */
import { type Options, run } from "./Program.ts"

/** A line with a pet. */
export const pet = (fields: object) =>
  `${JSON.stringify({ name: "Rex", categoryId: 1, ...fields })}\n`

/** Imports from standard input. */
export const importing = (path: string, stdin: Options["stdin"], ...words: ReadonlyArray<string>) =>
  run(path, ["import", "-", ...words], stdin === undefined ? {} : { stdin })
