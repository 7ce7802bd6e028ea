// How the program is bundled: main.js, the commands, which it loads on demand, and the worker threads of
// store-sqlite.

/** The options of esbuild. `threadFile` gives the file of a worker thread. */
export const options = (outdir, threadFile) => ({
  entryPoints: {
    main: "src/main.ts",
    WriterThread: threadFile("WriterThread"),
    ImportThread: threadFile("ImportThread")
  },
  absWorkingDir: import.meta.dirname,
  splitting: true,
  outdir,
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
