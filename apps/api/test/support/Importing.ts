/** Imports in short. */
import { Effect } from "effect"
import { type Options, run } from "./Program.ts"

/** A line with an animal. */
export const pet = (fields: object) =>
  `${JSON.stringify({ name: "Rex", categoryId: 1, ...fields })}\n`

/** What is in the catalogue. */
export const names = (path: string) =>
  Effect.map(
    run(path, ["export", "-"]),
    ({ stdout }): ReadonlyArray<string> =>
      stdout
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line).name)
  )

/** Imports what comes through the pipe. */
export const importing = (path: string, stdin: Options["stdin"], ...words: ReadonlyArray<string>) =>
  run(path, ["import", "-", ...words], stdin === undefined ? {} : { stdin })
