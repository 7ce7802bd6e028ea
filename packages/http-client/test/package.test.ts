/** The package as it is built: its size, and what it imports. */
import { readFileSync } from "node:fs"
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
  it("has no dependencies", async () => {
    const manifest = JSON.parse(readFileSync(`${root}/package.json`, "utf8"))
    expect(manifest).not.toHaveProperty("dependencies")
    expect(manifest).not.toHaveProperty("peerDependencies")
    const { imports, inputs } = await bundle('export * from "./dist/index.js"')
    expect(inputs.filter((path) => !/^(?:dist\/|<stdin>)/.test(path))).toEqual([])
    expect(imports).toEqual([])
  })

  it("takes at most 3,785 bytes for createPetStore, minified and compressed", async () => {
    const { bytes } = await bundle(`export { createPetStore } from "./dist/index.js"`)
    expect(bytes).toBeGreaterThan(1000)
    expect(bytes).toBeLessThanOrEqual(3785)
  })
})
