import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"

const root = new URL("..", import.meta.url)
const sources = readdirSync(new URL("src", root))

describe("the domain", () => {
  it("depends on effect and on nothing else", () => {
    const manifest = JSON.parse(readFileSync(new URL("package.json", root), "utf8"))
    expect(manifest.dependencies).toBeUndefined()
    expect(manifest.peerDependencies).toEqual({ effect: "catalog:" })
  })

  it.each(sources)("imports only effect and itself in %s", (name) => {
    const text = readFileSync(new URL(`src/${name}`, root), "utf8")
    const imported = [...text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map(
      ([, path]) => path
    )
    for (const path of imported) expect(path).toMatch(/^(?:effect\/\w+|\.\/\w+\.ts)$/)
  })

  it.each(sources)("reaches for no global of a platform in %s", (name) => {
    const text = readFileSync(new URL(`src/${name}`, root), "utf8")
    expect(text).not.toMatch(/\b(?:process|Buffer|fetch|globalThis|console|require|Date\.now)\b/)
  })
})
