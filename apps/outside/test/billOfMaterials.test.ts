/** The bill of materials of the program. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Version } from "@cyclonedx/cyclonedx-library/Spec"
import { JsonStrictValidator } from "@cyclonedx/cyclonedx-library/Validation"
import { describe, expect, it } from "@effect/vitest"
import { pnpm } from "./support/Outside.ts"
import { workspace } from "./support/Projects.ts"

describe("the bill of materials", () => {
  const make = async () => {
    const folder = mkdtempSync(join(tmpdir(), "petstore-bill-"))
    const file = join(folder, "petstore.cdx.json")
    try {
      await pnpm(workspace, "exec", "node", "scripts/bill-of-materials.mjs", file)
      return readFileSync(file, "utf8")
    } finally {
      rmSync(folder, { recursive: true })
    }
  }

  it("is valid, and has what is installed and what is bundled, but no tools", async () => {
    const bill = await make()
    expect(await new JsonStrictValidator(Version.v1dot7).validate(bill)).toBeNull()
    const { components, metadata } = JSON.parse(bill)
    expect(metadata.component.purl).toMatch(/^pkg:npm\/%40petstore\/api@/)
    const names = components.map(({ purl }: { purl: string }) =>
      decodeURIComponent(purl).replace(/^pkg:npm\/|@[^@]+$/g, "")
    )
    expect(names).toEqual(
      expect.arrayContaining([
        ...["better-sqlite3", "effect", "pg"],
        ...["@petstore/domain", "@scalar/api-reference"]
      ])
    )
    for (const tool of ["esbuild", "vitest", "typescript", "@petstore/local-postgres"])
      expect(names).not.toContain(tool)
  }, 60_000)
})
