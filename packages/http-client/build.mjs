// Bundles the fake with the service that it runs: the tests of callers need no other package.
import { rmSync, writeFileSync } from "node:fs"
import { build } from "esbuild"
import { notices, packagesOf } from "../../scripts/third-party.mjs"

const { metafile } = await build({
  entryPoints: ["src/testing.ts"],
  outdir: "dist",
  bundle: true,
  minify: true,
  platform: "node",
  target: "node22",
  format: "esm",
  legalComments: "none",
  metafile: true,
  logLevel: "warning"
})
rmSync("dist/testing.js.map", { force: true })
writeFileSync("dist/THIRD-PARTY.txt", notices(packagesOf(Object.keys(metafile.inputs))))
