import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"

/** The only module that may use Node: it implements a port for it. */
const nodeModule = "NodeKeyMaker.ts"

describe.each(["domain", "access"])("%s", (name) => {
  const root = new URL(`../../${name}/`, import.meta.url)
  const sources = readdirSync(new URL("src", root), { recursive: true, encoding: "utf8" }).filter(
    (path) => path.endsWith(".ts")
  )

  it("depends on effect and on nothing else", () => {
    const manifest = JSON.parse(readFileSync(new URL("package.json", root), "utf8"))
    expect(manifest.dependencies).toBeUndefined()
    expect(manifest.peerDependencies).toEqual({ effect: "catalog:peers" })
  })

  it.each(sources)("imports only effect and itself in %s", (path) => {
    const text = readFileSync(new URL(`src/${path}`, root), "utf8")
    const imported = [...text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map(
      ([, from]) => from
    )
    for (const from of imported) {
      if (path === nodeModule && from === "node:crypto") continue
      expect(from).toMatch(/^(?:effect\/\w+|\.\.?\/(?:internal\/)?\w+\.ts)$/)
      // Users of the package outside Node do not load that module.
      expect(from).not.toContain(nodeModule)
    }
  })

  it.each(sources)("reaches for no global of a platform in %s", (path) => {
    const text = readFileSync(new URL(`src/${path}`, root), "utf8")
    expect(text).not.toMatch(/\b(?:process|Buffer|fetch|globalThis|console|require|Date\.now)\b/)
  })
})
