/** The example of a store, copied out of the repository. */
import { cpSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { pnpm } from "./Outside.ts"
import { type Manifest, packages } from "./Packages.ts"
import { readManifest, workspace } from "./Projects.ts"

const example = join(workspace, "examples/store-json")

/** What a copy does not have. */
const left = new Set(["node_modules", "dist", ".turbo"])

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

/** Copies, installs and tests the example of a store. Resolves to what its tests print. */
export const testExample = async (folder: string, packed: string) => {
  cpSync(example, folder, { recursive: true, filter: (path) => !left.has(basename(path)) })
  const overrides = Object.fromEntries(tarballsOf(closureOf(readManifest(folder)), packed))
  const allowBuilds = { esbuild: true, "msgpackr-extract": false }
  // The packages are not on the registry.
  const settings = { packages: ["."], overrides, allowBuilds }
  writeFileSync(join(folder, "pnpm-workspace.yaml"), JSON.stringify(settings))
  await pnpm(folder, "install", "--prefer-offline", "--no-frozen-lockfile")
  return pnpm(folder, "test")
}
