// Bundles the built packages into dist.
import { readdir, rm, writeFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import { copyDocs, options } from "./bundle.mjs"
import { notices } from "./third-party.mjs"

const threadFile = (name) =>
  fileURLToPath(new URL(`internal/${name}.js`, import.meta.resolve("@petstore/store-sqlite")))

for (const file of await readdir("dist").catch(() => [])) {
  if (/\.js(?:\.map)?$/.test(file)) await rm(`dist/${file}`)
}
await copyDocs("dist")
const { metafile } = await build(options("dist", threadFile))
await writeFile("dist/meta.json", JSON.stringify(metafile))
await writeFile("dist/THIRD-PARTY.txt", notices(Object.keys(metafile.inputs)))
