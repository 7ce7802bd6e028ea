/** The workspace: what it offers to others, and the tools that they use it with. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { run } from "./Processes.ts"

/** The folder of this app. */
export const app = fileURLToPath(new URL("../..", import.meta.url))

/** The folder of the workspace. */
export const workspace = join(app, "../..")

/** The `package.json` of a folder. */
export function readManifest(folder: string) {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
}

/** The text of a file of the workspace. */
export const textOf = (path: string): string => readFileSync(join(workspace, path), "utf8")

/** The version of the SQLite driver. */
export const driver = readManifest(join(workspace, "apps/api/node_modules/better-sqlite3")).version

const { npm_execpath = "" } = process.env

/** The command of the pnpm that runs the tests, or the one of npx. */
export const pnpmCommand: readonly [string, ...ReadonlyArray<string>] = basename(
  npm_execpath
).startsWith("pnpm")
  ? [npm_execpath]
  : ["npx", "--yes", "pnpm"]

/** Runs pnpm in the workspace. */
export const pnpm = (...args: ReadonlyArray<string>): Promise<string> => {
  const [file, ...words] = pnpmCommand
  return run(file, [...words, ...args], { cwd: workspace })
}

/** A package that is offered to others. */
export interface Package {
  /** The name of its folder. */
  readonly name: string
  /** What others can import. */
  readonly modules: ReadonlyArray<string>
  readonly readme: string
  /** The lines of its README that install it. */
  readonly installs: string
  /** The packages of ours that it needs, and itself. */
  readonly needs: ReadonlyArray<string>
}

const isOurs = (dependency: string) => dependency.startsWith("@petstore/")
const nameOf = (dependency: string) => dependency.slice("@petstore/".length)

const packageOf = (name: string): Package => {
  const folder = join(workspace, "packages", name)
  const { dependencies = {}, exports } = readManifest(folder)
  const readme = textOf(`packages/${name}/README.md`)
  const sources = readdirSync(join(folder, "src"))
    .filter((file) => /(?<!index)\.ts$/.test(file))
    .map((file) => `./${file.slice(0, -".ts".length)}`)
  const entries = [".", ...sources].filter((entry) => entry in exports || "./*" in exports)
  return {
    name,
    modules: entries.map((entry) => join("@petstore", name, entry)),
    readme,
    installs: (readme.match(/^npm install [^#\n]+/gm) ?? []).join(" && "),
    needs: [name, ...Object.keys(dependencies).filter(isOurs).map(nameOf)]
  }
}

/** The packages that are offered to others. */
export const packages: ReadonlyArray<Package> = readdirSync(join(workspace, "packages"))
  .filter((name) => existsSync(join(workspace, "packages", name, "README.md")))
  .filter((name) => !readManifest(join(workspace, "packages", name)).private)
  .map(packageOf)

/** The packages of the tools. */
export const tools = join(app, "tools/node_modules")
const platform = `${process.platform}-${process.arch}`

/** The compilers, by their version. */
export const compilers = {
  "5.9": join(tools, "typescript/bin/tsc"),
  "7.0": join(app, "node_modules/typescript/bin/tsc")
}

/** A file of the package that the registry has for this platform. */
const fileOf = (tool: string, path: string): string | undefined => {
  const name = `${tool}-${platform}`
  const { optionalDependencies } = readManifest(join(app, "tools"))
  return name in optionalDependencies ? join(tools, name, path) : undefined
}

/** The versions of Node that packages and program are tested on: the least, and those with long-term support. */
export const majors = [22, 24, 26] as const

/** The executable of a version of Node: the registry's or, if it has none, the running one, if it is of that version. */
export const nodeOf = (major: number): string | undefined =>
  fileOf(`node-${major}`, "bin/node") ??
  (process.versions.node.startsWith(`${major}.`) ? process.execPath : undefined)

/** Other runtimes, and how each runs a program. */
export const runtimes = [
  { name: "Bun", file: fileOf("bun", "bin/bun"), words: [] },
  { name: "Deno", file: fileOf("deno", "deno"), words: ["run", "--allow-env", "--allow-read"] }
]

/** Why a test is skipped. */
export const missing = (tool: string): string => `the npm registry has no ${tool} for ${platform}`
