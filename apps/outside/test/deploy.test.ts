/** What operators run the program with. */
import { readFileSync } from "node:fs"
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

describe("the units of systemd", () => {
  const linesOf = (unit: string) =>
    readFileSync(join(workspace, "deploy", unit), "utf8")
      .split("\n")
      .map((line) => line.trim())

  it("restrict the backup at least as the service", () => {
    const service = linesOf("petstore.service")
    const restrictions = service.slice(
      service.indexOf("CapabilityBoundingSet="),
      service.indexOf("[Install]")
    )
    expect(restrictions.length).toBeGreaterThan(20)
    const backup = linesOf("petstore-backup.service")
    const missing = restrictions.filter((line) => !backup.includes(line))
    // It needs no network.
    expect(missing).toEqual(["RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX"])
    expect(backup).toContain("PrivateNetwork=yes")
  })
})
