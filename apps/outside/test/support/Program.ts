/** The program as `npm install --global` installs it. */
import { once } from "node:events"
import { join } from "node:path"
import { pnpm } from "./Outside.ts"
import * as Processes from "./Processes.ts"
import { workspace } from "./Projects.ts"

/** Packs packages to this folder. Resolves to the paths of the tarballs. */
export const pack = async (to: string, filter: string): Promise<ReadonlyArray<string>> => {
  const filters = ["--filter", filter, "--filter", "!@petstore/store-testkit"]
  const words = ["--recursive", ...filters, "pack", "--json", "--pack-destination", to]
  // Of one package it prints an object.
  const packed: ReadonlyArray<{ readonly filename: string }> = [
    JSON.parse(await pnpm(workspace, ...words))
  ].flat()
  return packed.map(({ filename }) => filename)
}

/** Packs and installs the program. Resolves to the path of its command. */
export const install = async (folder: string): Promise<string> => {
  const tarballs = await pack(join(folder, "packed"), "@petstore/api")
  const prefix = join(folder, "global")
  const words = ["install", "--global", "--prefix", prefix, ...tarballs]
  await Processes.run("npm", words, { cwd: folder })
  return join(prefix, "bin/petstore")
}

/** Starts the service on a version of Node. It can be stopped, which resolves to its exit code. */
export const start = async (
  node: string,
  petstore: string,
  place: Processes.Place,
  atEnd: Processes.AtEnd
) => {
  const child = Processes.start(node, [petstore, "serve"], place, atEnd)
  const url = await Processes.addressOf(child, petstore)
  return {
    url,
    stop: async (): Promise<unknown> => {
      const ended = once(child, "close")
      child.kill("SIGTERM")
      const [code] = await ended
      return code
    }
  }
}
