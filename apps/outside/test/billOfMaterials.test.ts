/** The bill of materials of the program. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Version } from "@cyclonedx/cyclonedx-library/Spec"
import { JsonStrictValidator } from "@cyclonedx/cyclonedx-library/Validation"
import { expect, it } from "vitest"
import * as Outside from "./support/Outside.ts"
import { pnpm } from "./support/Workspace.ts"

it("the bill of materials is valid, and has what is installed and what is bundled, but no tools", async ({
  onTestFinished
}) => {
  const folder = Outside.makeFolder()
  onTestFinished(() => Outside.remove(folder))
  const file = join(folder, "petstore.cdx.json")
  await pnpm("exec", "node", "scripts/bill-of-materials.mjs", file)
  const bill = readFileSync(file, "utf8")
  expect(await new JsonStrictValidator(Version.v1dot7).validate(bill)).toBeNull()
  const { components, metadata } = JSON.parse(bill)
  expect(metadata.component.purl).toMatch(/^pkg:npm\/%40petstore\/api@/)
  const names = components.map(({ purl }: { purl: string }) =>
    decodeURIComponent(purl).replace(/^pkg:npm\/|@[^@]+$/g, "")
  )
  const parts = ["better-sqlite3", "effect", "pg", "@petstore/domain", "@scalar/api-reference"]
  expect(names).toEqual(expect.arrayContaining(parts))
  for (const tool of ["esbuild", "vitest", "typescript", "@petstore/local-postgres"])
    expect(names).not.toContain(tool)
})
