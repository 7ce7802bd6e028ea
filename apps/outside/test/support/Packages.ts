/** The packages of the workspace that are published. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { workspace } from "./Projects.ts"

/** A package, from its own folder. */
export interface Package {
  readonly name: string
  readonly folder: string
  readonly manifest: Manifest
  /** The paths that others can import, such as `.` and `./PetStore`. */
  readonly entrypoints: ReadonlyArray<string>
}

/** What the checks read of a `package.json`. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly engines?: Readonly<Record<string, string>>
  readonly exports?: Readonly<Record<string, unknown>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

const entrypointsOf = (folder: string, { exports = {} }: Manifest) =>
  readdirSync(join(folder, "src"))
    .filter((file) => file.endsWith(".ts"))
    .map((file) => (file === "index.ts" ? "." : `./${file.slice(0, -".ts".length)}`))
    .filter((path) => path in exports || "./*" in exports)

const packageOf = (folder: string): Package => {
  const manifest: Manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  return { name: manifest.name, folder, manifest, entrypoints: entrypointsOf(folder, manifest) }
}

/** The package of the program. */
export const program: Package = packageOf(join(workspace, "apps/api"))

/** Every package of modules that is not private. */
export const packages: ReadonlyArray<Package> = readdirSync(join(workspace, "packages"))
  .map((name) => join(workspace, "packages", name))
  .filter((folder) => existsSync(join(folder, "package.json")))
  .map(packageOf)
  .filter(({ manifest }) => manifest.private !== true)
