import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { describe, expect, it } from "@effect/vitest"
import { build } from "esbuild"

const root = fileURLToPath(new URL("..", import.meta.url))

/** An entry as a browser would load it, and what it is made of. */
const bundle = async (contents: string) => {
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    stdin: { contents, resolveDir: root },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2023",
    external: ["effect", "@effect/platform"],
    metafile: true,
    write: false
  })
  const inputs = Object.keys(metafile.inputs)
  const imports = Object.values(metafile.outputs).flatMap(({ imports }) => imports)
  return {
    inputs,
    imports: imports.map(({ path }) => path),
    bytes: gzipSync(outputFiles[0]?.contents ?? "").length
  }
}

describe("the package", () => {
  it("has no dependencies, and needs its peers only for its forms with Effect", async () => {
    const manifest = JSON.parse(readFileSync(`${root}/package.json`, "utf8"))
    expect(manifest.dependencies).toBeUndefined()
    const peers = { "@effect/platform": "catalog:peers", effect: "catalog:peers" }
    expect(manifest.peerDependencies).toEqual(peers)
    const optional = { "@effect/platform": { optional: true }, effect: { optional: true } }
    expect(manifest.peerDependenciesMeta).toEqual(optional)
    const allowed = {
      index: /^$/,
      effect: /^effect\/\w+$/,
      platform: /^(?:effect|@effect\/platform)\/\w+$/
    }
    for (const [entry, peer] of Object.entries(allowed)) {
      const { imports, inputs } = await bundle(`export * from "./dist/${entry}.js"`)
      expect(inputs.filter((path) => !/^(?:dist\/|<stdin>)/.test(path))).toEqual([])
      for (const path of imports) expect(path).toMatch(peer)
    }
  })

  it("has a core for any table of operations", () => {
    const folder = `${root}/src/internal`
    const core = readdirSync(folder).filter((name) => name !== "Operations.ts")
    expect(core).toContain("Call.ts")
    const mentions = core.flatMap((name) => {
      const text = readFileSync(`${folder}/${name}`, "utf8")
      return text.match(/[^"\s]*(?:\bpet|Pet)[^"\s]*/g) ?? []
    })
    // The name of this package.
    expect(mentions).toEqual(["petstore-http-client/1.0.0"])
  })

  it("takes at most 3,900 bytes for createPetStore, minified and compressed", async () => {
    const { bytes } = await bundle(`export { createPetStore } from "./dist/index.js"`)
    expect(bytes).toBeGreaterThan(1000)
    expect(bytes).toBeLessThanOrEqual(3900)
  })
})
