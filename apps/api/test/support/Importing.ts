/** Helpers for `petstore import`. */
import { Effect } from "effect"
import { type Options, run } from "./Program.ts"

/** A line with a pet. */
export const pet = (fields: object) =>
  `${JSON.stringify({ name: "Rex", categoryId: 1, ...fields })}\n`

/** The names in the catalogue. */
export const names = (path: string) =>
  Effect.map(
    run(path, ["export", "-"]),
    ({ stdout }): ReadonlyArray<string> =>
      stdout
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line).name)
  )

/** Imports from standard input. */
export const importing = (path: string, stdin: Options["stdin"], ...words: ReadonlyArray<string>) =>
  run(path, ["import", "-", ...words], stdin === undefined ? {} : { stdin })
