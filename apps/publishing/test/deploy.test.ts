/** What operators run the program with. */
import { existsSync, readFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { DCLinter } from "dclint"
import { root } from "../src/Packages.ts"

describe("compose.yaml", () => {
  it("is a Compose file without errors", () => {
    const linter = new DCLinter({ rules: {}, quiet: true, debug: false, exclude: [] })
    const results: ReadonlyArray<{ readonly errorCount: number; readonly messages: unknown }> =
      linter.lintFiles([join(root, "compose.yaml")], false)
    const problems = results.map(({ errorCount, messages }) => (errorCount === 0 ? [] : messages))
    expect(problems).toEqual([[]])
  })
})

describe("the page on deploying", () => {
  it("names files that exist", () => {
    const page = join(root, "docs/deploying.md")
    const text = readFileSync(page, "utf8")
    const links = [...text.matchAll(/\]\(([^)#:]+)/g)].map(([, path = ""]) =>
      resolve(dirname(page), path)
    )
    const named = [...text.matchAll(/\bdeploy\/[\w.-]+\b/g)].map(([path]) => join(root, path))
    expect(links.length).toBeGreaterThan(3)
    expect(named.length).toBeGreaterThan(0)
    for (const path of [...links, ...named]) expect([path, existsSync(path)]).toEqual([path, true])
  })
})
