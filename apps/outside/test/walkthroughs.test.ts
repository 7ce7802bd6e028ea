/** The pages that walk through the examples. */
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

const adoptions = ["src", "test"].flatMap((part) => filesOf(join("examples/adoptions", part)))
const json = filesOf("examples/store-json/src")

describe.each([
  ["docs/make-it-yours.md", adoptions, []],
  [
    "docs/your-own-store.md",
    json,
    [
      ...filesOf("examples/store-json/test"),
      textOf("apps/outside/src/server/main.ts"),
      // The page leaves out what is between its import and the suite.
      'import { durableSuite } from "@petstore/store-testkit/vitest"'
    ]
  ]
])("%s", (path, example, others) => {
  const page = textOf(path)

  it("shows code that is tested", () => {
    const sources = [...example, ...others].map(bare)
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

describe("the README of http-server", () => {
  const shown = codeOf(textOf("packages/http-server/README.md"))

  it.each([
    ["layer.ts", "JwtAuthentication.ts"],
    ["main.ts", "main.ts"],
    ["express.ts", "express.ts"],
    ["fastify.ts", "fastify.ts"],
    ["hono.ts", "hono.ts"]
  ])("shows %s as it is tested", (name, file) => {
    expect(shown).toContain(`// ${name}\n${textOf(join("apps/outside/src/hosts", file))}`)
  })
})
