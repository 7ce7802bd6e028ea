/** The projects outside the workspace: what they depend on, and what they are made of. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** The folder of this app. */
export const app = fileURLToPath(new URL("../..", import.meta.url))

/** The folder of the workspace. */
export const workspace = join(app, "../..")

/** The dependencies of each project with sources in `src`: as few as it can have. */
export const dependencies: Readonly<Record<string, ReadonlyArray<string>>> = {
  service: ["@petstore/domain", "effect"],
  laws: ["@petstore/store-memory", "@petstore/store-testkit", "effect"],
  promises: ["@petstore/http-client"],
  fake: ["@petstore/http-pets", "@petstore/http-client", "@effect/platform", "effect"],
  server: [
    ...["@petstore/access", "@petstore/domain", "@petstore/http-pets", "@petstore/http-transport"],
    ...["@petstore/store-memory", "@effect/platform", "effect"]
  ],
  sqlite: ["@petstore/domain", "@petstore/store-sqlite", "effect"],
  testing: ["@petstore/api", "store-json", "effect"]
}

/** What our packages let callers choose the version of. */
export const peers = ["@effect/platform", "@effect/vitest", "effect", "vitest"]

/** The version of a dependency that the workspace uses. */
export const versionOf = (name: string): string =>
  readManifest(join(app, "node_modules", name)).version

/** The version of the SQLite driver. */
export const driver = readManifest(join(workspace, "apps/api/node_modules/better-sqlite3")).version

/** The `package.json` of a folder. */
export function readManifest(folder: string) {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
}

/** What others may import of a package that is installed in this folder. */
export const entriesOf = (folder: string) => {
  const { exports, name } = readManifest(folder)
  const modules = () =>
    readdirSync(join(folder, "src"))
      .filter((file) => file.endsWith(".ts") && file !== "index.ts")
      .map((file) => `./${file.slice(0, -".ts".length)}`)
  return Object.entries(exports)
    .filter(([entry, target]) => target !== null && entry !== "./package.json")
    .flatMap(([entry]) => (entry === "./*" ? modules() : [entry]))
    .map((entry) => join(name, entry))
}

const common = {
  target: "ES2023",
  lib: ["ES2023"],
  types: ["node"],
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  allowImportingTsExtensions: true,
  noEmit: true
}
const bundler = { module: "esnext", moduleResolution: "bundler" }

/** How the projects are compiled: all of them for Node, and for browsers what runs there. */
export const configurations = {
  nodenext: {
    compilerOptions: { ...common, module: "nodenext", moduleResolution: "nodenext" },
    include: ["*/src/*.ts"]
  },
  bundler: { compilerOptions: { ...common, ...bundler }, include: ["*/src/*.ts"] },
  browser: {
    compilerOptions: { ...common, ...bundler, lib: ["ES2023", "DOM"], types: [] },
    include: ["promises/src/calls.ts"]
  }
}
