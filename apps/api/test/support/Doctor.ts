/** Helpers for `petstore doctor`. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Environment } from "./Folder.ts"
import { type Options, run } from "./Program.ts"

/** The result of one check. */
export interface Finding {
  readonly subject: string
  readonly state: string
  readonly message: string
  readonly fix?: string
}

/** The findings of doctor, by subject, and its exit code. */
export const examine = (path: string, environment: Environment = {}, options: Options = {}) =>
  Effect.gen(function* () {
    const words = ["doctor", "--json"]
    // Where nothing serves, unless the test says so.
    const inEnvironment = { environment: { PORT: "1", ...environment } }
    const { code, stderr, stdout } = yield* run(path, words, { ...inEnvironment, ...options })
    const findings: ReadonlyArray<Finding> = JSON.parse(stdout)
    const of = (subject: string) => findings.filter((finding) => finding.subject === subject)
    /** How much is free on the disk, and what else runs, is not up to the test. */
    const states = findings
      .filter(({ subject }) => !["disk", "service"].includes(subject))
      .map(({ state }) => state)
    const bad = findings.filter(({ state }) => state === "bad").length
    expect(code).toBe(bad > 0 ? 1 : 0)
    expect(stderr).toMatch(bad > 0 ? new RegExp(`^${bad} `) : /^$/)
    return { code, findings, of, states }
  })

/** The path of the database. */
export const file = "data/petstore.db"
