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
  // A native addon locates its binary relative to node_modules; prom-client is loaded only for metrics, and
  // requires Node's modules in a way that a bundle of ES modules cannot.
  external: ["better-sqlite3", "prom-client"],
  sourcemap: true,
  legalComments: "none",
  logLevel: "warning"
})
