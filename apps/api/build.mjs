// Bundles the program into dist: main.js, the commands, which it loads on demand, and the worker threads
// of store-sqlite.
import { readdir, rm } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"

const threads = ["WriterThread", "ImportThread"]

for (const file of await readdir("dist").catch(() => [])) {
  if (/\.js(?:\.map)?$/.test(file)) await rm(`dist/${file}`)
}
await build({
  entryPoints: {
    main: "src/main.ts",
    ...Object.fromEntries(
      threads.map((name) => [
        name,
        fileURLToPath(new URL(`internal/${name}.js`, import.meta.resolve("@petstore/store-sqlite")))
      ])
    )
  },
  splitting: true,
  outdir: "dist",
  bundle: true,
  platform: "node",
  target: "node20",
  format: "esm",
  // A native addon locates its binary relative to node_modules. The other is not used.
  external: ["better-sqlite3", "pg-native"],
  // For packages that are CommonJS: they require Node's modules.
  banner: {
    js: 'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);'
  },
  sourcemap: true,
  legalComments: "none",
  logLevel: "warning"
})
