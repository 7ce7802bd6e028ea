/** The sources of every package, as text. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../../../..", import.meta.url))

/** Every package and app, by its path from the root. */
export const packages = ["packages", "apps", "examples"]
  .flatMap((group) => readdirSync(join(root, group)).map((name) => `${group}/${name}`))
  .filter((path) => existsSync(join(root, path, "package.json")))

/** A source file. */
export interface Source {
  readonly name: string
  readonly text: string
}

const filesOf = (folder: string, kinds: RegExp): ReadonlyArray<Source> =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => kinds.test(name))
    .map((name) => ({
      name: `${folder}/${name}`,
      text: readFileSync(join(root, folder, name), "utf8")
    }))

/** The sources of one package. */
export const sourcesOf = (path: string): ReadonlyArray<Source> => filesOf(`${path}/src`, /\.ts$/)

/** All that people wrote for one package, but for its history and its manifest. */
export const writtenFor = (path: string): ReadonlyArray<Source> =>
  ["src", "test", "docs"]
    .filter((folder) => existsSync(join(root, path, folder)))
    .flatMap((folder) => filesOf(`${path}/${folder}`, /\.\w+$/))
    .concat({
      name: `${path}/README.md`,
      text: readFileSync(join(root, path, "README.md"), "utf8")
    })

/** The sources of all of them. */
export const sources = packages.flatMap(sourcesOf)

/** The `package.json` of one package. */
export const manifestOf = (path: string) =>
  JSON.parse(readFileSync(join(root, path, "package.json"), "utf8"))
