// How the program is bundled: main.js, the commands, which it loads on demand, the worker threads of
// store-sqlite, and the files of the page `/docs` of http-server.
import { cp, readFile, rm } from "node:fs/promises"
import { fileURLToPath } from "node:url"

const manifest = new URL("package.json", import.meta.url)
const { version } = JSON.parse(await readFile(manifest, "utf8"))

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
  define: { PETSTORE_VERSION: JSON.stringify(version) },
  metafile: true,
  sourcemap: true,
  legalComments: "none",
  logLevel: "warning"
})

/** Copies the files of the page `/docs` to where the bundle looks for them. */
export const copyDocs = async (outdir) => {
  const built = new URL("internal/docs", import.meta.resolve("@petstore/http-server"))
  await rm(`${outdir}/docs`, { recursive: true, force: true })
  await cp(fileURLToPath(built), `${outdir}/docs`, { recursive: true })
}
