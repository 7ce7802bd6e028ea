/** What the projects are compiled with and run on, from the npm registry. */
import { join } from "node:path"
import { app, readManifest } from "./Projects.ts"

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
  {
    name: "Deno",
    file: fileOf("deno", "deno"),
    words: ["run", "--allow-env", "--allow-read", "--node-modules-dir=manual"]
  }
]

/** The script of a package that is a command. */
export const scriptOf = (name: string): string => {
  const { bin } = readManifest(join(tools, name))
  return join(tools, name, typeof bin === "string" ? bin : (Object.values<string>(bin)[0] ?? ""))
}

/** Why a test is skipped. */
export const missing = (tool: string): string => `the npm registry has no ${tool} for ${platform}`
