// Bundles the built packages into dist.
import { readdir, rm, writeFile } from "node:fs/promises"
import { build } from "esbuild"
import { copyDocs, options, threads } from "./bundle.mjs"
import { notices, packagesOf } from "./third-party.mjs"

for (const file of await readdir("dist").catch(() => [])) {
  if (/\.js(?:\.map)?$/.test(file)) await rm(`dist/${file}`)
}
await copyDocs("dist")
const { metafile } = await build(options("dist", await threads("dist")))

const packages = packagesOf(Object.keys(metafile.inputs))
await writeFile("dist/THIRD-PARTY.txt", notices(packages))
// For the bill of materials. What `/docs` consists of has its license beside it.
const docs = packagesOf(["../../packages/http-server/node_modules/@scalar/api-reference/"])
await writeFile("dist/packages.json", JSON.stringify([...packages, ...docs]))
