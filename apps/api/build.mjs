// Bundles the sources into dist.
import { readdir, rm, writeFile } from "node:fs/promises"
import { build } from "esbuild"
import { notices, packagesOf } from "../../scripts/third-party.mjs"
import { options, writeDocs } from "./bundle.mjs"

const startedAt = Date.now()
for (const file of await readdir("dist").catch(() => [])) {
  if (/\.js(?:\.map)?$/.test(file)) await rm(`dist/${file}`)
}
writeDocs("dist")
const { metafile } = await build(options("dist"))

const files = Object.keys(metafile.inputs)
const packages = packagesOf(files)
await writeFile("dist/THIRD-PARTY.txt", notices(packages))
// For the bill of materials. What `/docs` consists of has its license beside it.
const docs = packagesOf(["../../packages/http-transport/node_modules/@scalar/api-reference/"])
await writeFile("dist/packages.json", JSON.stringify([...packages, ...docs]))
// What a later start compares, to know whether to bundle again.
const sources = files.filter((file) => !file.includes("node_modules/"))
await writeFile("dist/sources.json", JSON.stringify({ startedAt, sources }))
