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

/** The sources of one package. */
export const sourcesOf = (path: string): ReadonlyArray<Source> =>
  readdirSync(join(root, path, "src"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => ({
      name: `${path}/src/${name}`,
      text: readFileSync(join(root, path, "src", name), "utf8")
    }))

/** The sources of all of them. */
export const sources = packages.flatMap(sourcesOf)

/** The `package.json` of one package. */
export const manifestOf = (path: string) =>
  JSON.parse(readFileSync(join(root, path, "package.json"), "utf8"))
