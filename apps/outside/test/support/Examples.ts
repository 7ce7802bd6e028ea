/** The examples, copied out of the repository as docs/make-it-yours.md says. */
import { cpSync, readdirSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { pnpm } from "./Outside.ts"
import { type Manifest, packages } from "./Packages.ts"
import { run } from "./Processes.ts"
import { readManifest, workspace } from "./Projects.ts"

/** The examples, by their folders. */
export const names = readdirSync(join(workspace, "examples"))

/** What a copy does not have. */
const left = new Set(["node_modules", "dist", ".turbo"])

const copy = (name: string, folder: string) =>
  cpSync(join(workspace, "examples", name), folder, {
    recursive: true,
    filter: (path) => !left.has(basename(path))
  })

/** Our packages that a project needs, and those that these need. */
const closureOf = ({ dependencies, devDependencies }: Manifest): ReadonlyArray<string> => {
  const found = new Set<string>()
  const visit = (names: ReadonlyArray<string>) => {
    for (const { manifest, name } of packages) {
      if (!names.includes(name) || found.has(name)) continue
      found.add(name)
      visit(Object.keys({ ...manifest.dependencies }))
    }
  }
  visit(Object.keys({ ...dependencies, ...devDependencies }))
  return [...found]
}

/** The tarballs of packages in this folder. */
const tarballsOf = (names: ReadonlyArray<string>, packed: string) => {
  const versions = new Map(packages.map(({ manifest, name }) => [name, manifest.version]))
  return names.map((name) => {
    const file = `${name.slice(1).replace("/", "-")}-${versions.get(name)}.tgz`
    return [name, `file:${join(packed, file)}`] as const
  })
}

/** Copies, installs and tests an example. Resolves to what its tests print. */
export const tools = {
  npm: async (name: string, folder: string, packed: string, signal: AbortSignal) => {
    copy(name, folder)
    const manifest = readManifest(folder)
    const tarballs = tarballsOf(closureOf(manifest), packed).map(([, tarball]) => tarball)
    const words = ["--prefer-offline", "--no-audit", "--no-fund"]
    await run("npm", ["install", ...words, ...tarballs], { cwd: folder, signal })
    return run("npm", ["test"], { cwd: folder, signal })
  },
  pnpm: async (name: string, folder: string, packed: string) => {
    copy(name, folder)
    const overrides = Object.fromEntries(tarballsOf(closureOf(readManifest(folder)), packed))
    const allowBuilds = { esbuild: true, "msgpackr-extract": false }
    // The packages are not on the registry.
    const settings = { packages: ["."], overrides, allowBuilds }
    writeFileSync(join(folder, "pnpm-workspace.yaml"), JSON.stringify(settings))
    await pnpm(folder, "install", "--prefer-offline", "--no-frozen-lockfile")
    return pnpm(folder, "test")
  }
}
