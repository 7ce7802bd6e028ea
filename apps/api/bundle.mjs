// How the program is bundled: main.js, the commands, which it loads on demand, the worker threads of
// stores, and the files of the page `/docs` of http-server.
import { cp, readdir, readFile, rm } from "node:fs/promises"
import { fileURLToPath } from "node:url"

const manifest = new URL("package.json", import.meta.url)
const { dependencies, version } = JSON.parse(await readFile(manifest, "utf8"))

/** The modules of packages that run in a thread of their own, by name, in `src` or `dist`. */
export const threads = async (folder) => {
  const packages = fileURLToPath(new URL("../../packages/", import.meta.url))
  const found = []
  for (const name of await readdir(packages)) {
    const modules = `${packages}${name}/${folder}/internal`
    for (const file of await readdir(modules).catch(() => [])) {
      if (/\wThread\.[jt]s$/.test(file)) found.push([file.slice(0, -3), `${modules}/${file}`])
    }
  }
  return Object.fromEntries(found)
}

/** The options of esbuild. */
export const options = (outdir, threads) => ({
  entryPoints: { main: "src/main.ts", ...threads },
  absWorkingDir: import.meta.dirname,
  splitting: true,
  outdir,
  bundle: true,
  platform: "node",
  target: "node20",
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

/** Copies the files of the page `/docs` to where the bundle looks for them. */
export const copyDocs = async (outdir) => {
  const built = new URL("internal/docs", import.meta.resolve("@petstore/http-server"))
  await rm(`${outdir}/docs`, { recursive: true, force: true })
  await cp(fileURLToPath(built), `${outdir}/docs`, { recursive: true })
}
