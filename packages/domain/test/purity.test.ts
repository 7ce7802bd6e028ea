/** What the pure packages import: a rule of all their modules. */
import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"

/** The only modules that may use Node, and what of it. */
const nodeModules: Readonly<Record<string, string>> = {
  "NodeKeyMaker.ts": "node:crypto",
  "Turn.ts": "node:timers"
}

describe.each(["kernel", "domain", "access"])("%s", (name) => {
  const root = new URL(`../../${name}/`, import.meta.url)
  const sources = readdirSync(new URL("src", root), { recursive: true, encoding: "utf8" }).filter(
    (path) => path.endsWith(".ts")
  )

  it("depends on effect and the kernel, and on nothing else", () => {
    const manifest = JSON.parse(readFileSync(new URL("package.json", root), "utf8"))
    expect(manifest.dependencies).toEqual(
      name === "kernel" ? undefined : { "@petstore/kernel": "workspace:^" }
    )
    expect(manifest.peerDependencies).toEqual({ effect: "catalog:peers" })
  })

  it.each(sources)("imports only effect, the kernel and itself in %s", (path) => {
    const text = readFileSync(new URL(`src/${path}`, root), "utf8")
    const imported = [...text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map(
      ([, from]) => from
    )
    for (const from of imported) {
      if (nodeModules[path] === from) continue
      expect(from).toMatch(
        /^(?:effect\/\w+|@petstore\/kernel\/(?!Turn)\w+|\.\.?\/(?:internal\/)?\w+\.ts)$/
      )
      // Users of the package outside Node do not load these modules.
      expect(Object.keys(nodeModules)).not.toContain(from?.slice("./".length))
    }
  })

  it.each(sources)("reaches for no global of a platform in %s", (path) => {
    const text = readFileSync(new URL(`src/${path}`, root), "utf8")
    expect(text).not.toMatch(/\b(?:process|Buffer|fetch|globalThis|console|require|Date\.now)\b/)
  })
})
