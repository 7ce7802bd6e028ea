// Bundles the built packages into dist.
import { readdir, rm } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import { copyDocs, options } from "./bundle.mjs"

const threadFile = (name) =>
  fileURLToPath(new URL(`internal/${name}.js`, import.meta.resolve("@petstore/store-sqlite")))

for (const file of await readdir("dist").catch(() => [])) {
  if (/\.js(?:\.map)?$/.test(file)) await rm(`dist/${file}`)
}
await copyDocs("dist")
await build(options("dist", threadFile))
