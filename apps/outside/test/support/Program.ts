/** The program as `npm install --global` installs it. */
import { cpSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { pnpm } from "./Outside.ts"
import { run } from "./Processes.ts"
import { workspace } from "./Projects.ts"

const binary = "build/Release/better_sqlite3.node"

/** Packs and installs the program. Resolves to the path of its command. */
export const install = async (folder: string): Promise<string> => {
  const packing = ["--filter", "@petstore/api", "pack", "--json", "--pack-destination"]
  const packed = JSON.parse(await pnpm(workspace, ...packing, join(folder, "packed")))
  const prefix = join(folder, "global")
  // Its driver would be downloaded or compiled; the one of the workspace takes its place.
  const words = ["install", "--global", "--prefix", prefix, "--ignore-scripts", packed.filename]
  await run("npm", words, { cwd: folder })
  const home = join(prefix, "lib/node_modules/@petstore/api")
  copyDriver(home)
  return join(prefix, "bin/petstore")
}

/** Gives a package that was installed without scripts the SQLite driver of the workspace. */
export const copyDriver = (folder: string): void =>
  cpSync(join(driverOf(join(workspace, "apps/api")), binary), join(driverOf(folder), binary))

/** The folder of the SQLite driver that a package finds. */
const driverOf = (folder: string) =>
  dirname(createRequire(join(folder, "package.json")).resolve("better-sqlite3/package.json"))
