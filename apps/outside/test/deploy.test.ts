/** What operators run the program with. */
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { DCLinter } from "dclint"
import { workspace } from "./support/Projects.ts"

describe("compose.yaml", () => {
  it("is a Compose file without errors", () => {
    const linter = new DCLinter({ rules: {}, quiet: true, debug: false, exclude: [] })
    const results: ReadonlyArray<{ readonly errorCount: number; readonly messages: unknown }> =
      linter.lintFiles([join(workspace, "compose.yaml")], false)
    const problems = results.map(({ errorCount, messages }) => (errorCount === 0 ? [] : messages))
    expect(problems).toEqual([[]])
  })
})
