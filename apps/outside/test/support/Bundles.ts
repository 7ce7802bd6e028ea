/** Bundles of parts of the packages, as a caller's bundler makes them. */
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { build, type Plugin } from "esbuild"
import type { Package } from "./Packages.ts"

/** The texts of the minified bundles of these modules, which need not be files. */
const bundles = async (
  modules: ReadonlyArray<string>,
  options: { resolveDir: string; external?: Array<string>; plugins?: Array<Plugin> }
): Promise<ReadonlyArray<string>> => {
  const { external = [], plugins = [], resolveDir } = options
  const entries: Plugin = {
    name: "entries",
    setup: ({ onLoad, onResolve }) => {
      onResolve({ filter: /./ }, ({ kind, path }) =>
        kind === "entry-point" ? { path, namespace: "entry" } : undefined
      )
      onLoad({ filter: /./, namespace: "entry" }, ({ path }) => ({
        contents: modules[Number(path)] ?? "",
        resolveDir
      }))
    }
  }
  const { outputFiles } = await build({
    entryPoints: modules.map((_, at) => ({ in: String(at), out: String(at).padStart(3, "0") })),
    plugins: [entries, ...plugins],
    external,
    outdir: "/",
    bundle: true,
    minify: true,
    format: "esm",
    platform: "node",
    target: "es2023",
    write: false,
    // The paths of the workspace's own configuration lead to the sources, not to what is published.
    tsconfigRaw: {}
  })
  return outputFiles
    .toSorted((one, other) => (one.path < other.path ? -1 : 1))
    .map(({ text }) => text)
}

/** The bytes of a bundle of each of these modules, with everything that it imports but these packages. */
export const sizesOf = async (modules: ReadonlyArray<string>, external: Array<string>) => {
  const resolveDir = fileURLToPath(new URL(".", import.meta.url))
  const texts = await bundles(modules, { resolveDir, external })
  return texts.map((text) => Buffer.byteLength(text))
}

/** Assumes side effects in every module of ours, whatever its `package.json` says, and in no other. */
const suspicious: Plugin = {
  name: "suspicious",
  setup: ({ onResolve }) => {
    onResolve({ filter: /^[^.]/ }, ({ path }) => ({ path, external: true, sideEffects: false }))
    onResolve({ filter: /^\./ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path),
      sideEffects: true
    }))
  }
}

/** What is left of a package if nothing of it is used: its side effects. */
export const sideEffectsOf = async ({ entrypoints, folder }: Package): Promise<string> => {
  const imports = entrypoints.map((path) => path.replace(/^\.$/, "./index").slice(2))
  const module = imports.map((name) => `import "./dist/${name}.js"`).join("\n")
  const texts = await bundles([module], { resolveDir: folder, plugins: [suspicious] })
  return texts.join("")
}
