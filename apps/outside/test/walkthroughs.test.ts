/** The page that walks through the example of a store. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { workspace } from "./support/Projects.ts"

const textOf = (path: string) => readFileSync(join(workspace, path), "utf8")
const filesOf = (folder: string) =>
  readdirSync(join(workspace, folder)).map((file) => textOf(join(folder, file)))

/** The code without spaces: a page shows it with other indentation. */
const bare = (code: string) => code.replaceAll(/\s+/g, "")
const codeOf = (page: string) =>
  [...page.matchAll(/```ts\n(.*?)```/gs)].map(([, code = ""]) => code)

const example = filesOf("examples/store-json/src")
const sources = [
  ...example,
  ...filesOf("examples/store-json/test"),
  textOf("apps/outside/src/server/main.ts"),
  // The page leaves out what is between its import and the suite.
  'import { durableSuite } from "@petstore/store-testkit/vitest"'
].map(bare)

describe("docs/your-own-store.md", () => {
  const page = textOf("docs/your-own-store.md")

  it("shows code that is tested", () => {
    const parts = codeOf(page).flatMap((code) => code.split(/(?<=^import .*\n)\n/m))
    expect(parts).not.toEqual([])
    const unknown = parts.filter((part) => !sources.some((source) => source.includes(bare(part))))
    expect(unknown).toEqual([])
  })

  it("says how long the example is", () => {
    const lines = example.join("").split("\n").length - 1
    expect(lines).toBeLessThan(350)
    expect(page).toMatch(new RegExp(`[: ]${lines} lines`))
  })
})
