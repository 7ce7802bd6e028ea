// Bundles the service into dist: main.js, and the thread that store-sqlite starts beside it.
import { rm } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"

await Promise.all(["main.js", "WriterThread.js"].map((name) => rm(`dist/${name}`, { force: true })))
await build({
  entryPoints: {
    main: "src/main.ts",
    WriterThread: fileURLToPath(import.meta.resolve("@petstore/store-sqlite/WriterThread"))
  },
  outdir: "dist",
  bundle: true,
  platform: "node",
  target: "node20",
  format: "esm",
  // A native addon finds its binary by its place in node_modules.
  external: ["better-sqlite3"],
  sourcemap: true,
  legalComments: "none",
  logLevel: "warning"
})
