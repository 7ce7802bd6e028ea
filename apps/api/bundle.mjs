// How the program is bundled: main.js, the commands, which it loads on demand, the worker threads of
// stores, and the files of the page `/docs` of http-transport.
import { execFileSync } from "node:child_process"
import { existsSync, readdirSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"

const manifest = new URL("package.json", import.meta.url)
const { dependencies, version } = JSON.parse(await readFile(manifest, "utf8"))

const packages = join(import.meta.dirname, "../../packages")

/** The modules that run in a thread of their own, by name. */
const threads = readdirSync(packages).flatMap((name) => {
  const folder = join(packages, name, "src/internal")
  const files = existsSync(folder) ? readdirSync(folder) : []
  return files.flatMap((file) =>
    /\wThread\.ts$/.test(file) ? [[file.slice(0, -3), join(folder, file)]] : []
  )
})

/** The options of esbuild. */
export const options = (outdir) => ({
  entryPoints: { main: "src/main.ts", ...Object.fromEntries(threads) },
  absWorkingDir: import.meta.dirname,
  splitting: true,
  outdir,
  bundle: true,
  platform: "node",
  target: "node22",
  format: "esm",
  // Native addons locate their binaries relative to node_modules. The last one is not used.
  external: [...Object.keys(dependencies), "pg-native"],
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

/** Writes the files of the page `/docs` to where the bundle looks for them. */
export const writeDocs = (outdir) =>
  execFileSync(process.execPath, [
    join(packages, "http-transport/docs/build.mjs"),
    `${outdir}/docs`
  ])
