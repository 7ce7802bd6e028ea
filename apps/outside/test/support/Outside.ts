/** A folder outside the workspace, with our packages as npm would deliver them. */
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { build } from "esbuild"
import { run } from "./Processes.ts"
import * as Projects from "./Projects.ts"
import { fileOf, readmes } from "./Readmes.ts"

/** A published package. */
interface Packed {
  readonly name: string
  readonly filename: string
}

/** Packs all packages, and makes and installs the projects. Resolves to their folder. */
export const make = async (): Promise<string> => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "petstore-outside-")))
  try {
    const packed = await pack(packedIn(folder))
    writeProjects(folder, packed)
    await pnpm(folder, "install", "--prefer-offline", "--no-frozen-lockfile")
    await compile(folder, packed)
    return folder
  } catch (error) {
    remove(folder)
    throw error
  }
}

/** Where the tarballs are. */
export const packedIn = (folder: string): string => join(folder, "packed")

/** Removes the folder. */
export const remove = (folder: string): void => rmSync(folder, { recursive: true, force: true })

/** Runs the pnpm that runs this test, or the one of npx. */
export const pnpm = (folder: string, ...args: ReadonlyArray<string>): Promise<string> => {
  const { npm_execpath = "" } = process.env
  const [file, ...words] = basename(npm_execpath).startsWith("pnpm")
    ? [npm_execpath]
    : ["npx", "--yes", "pnpm"]
  return run(file, [...words, "--dir", folder, ...args], { cwd: Projects.workspace })
}

const pack = async (destination: string): Promise<ReadonlyArray<Packed>> => {
  const filters = [
    "./packages/*",
    "!@petstore/local-postgres",
    "@petstore/api",
    "store-json"
  ].flatMap((filter) => ["--filter", filter])
  const words = ["pack", "--json", "--pack-destination", destination]
  return JSON.parse(await pnpm(Projects.workspace, "--recursive", ...filters, ...words))
}

const writeProjects = (folder: string, packed: ReadonlyArray<Packed>) => {
  const tarballs = Object.fromEntries(
    packed.map(({ filename, name }) => [name, `file:${filename}`])
  )
  const versions = (names: ReadonlyArray<string>) =>
    Object.fromEntries(names.map((name) => [name, tarballs[name] ?? Projects.versionOf(name)]))
  const write = (path: string, content: object) =>
    writeFileSync(join(folder, path), JSON.stringify(content))

  write("package.json", { private: true, devDependencies: versions(["@types/node"]) })
  write("pnpm-workspace.yaml", {
    packages: ["*"],
    // Our packages are not on the registry: those that depend on each other get the tarballs, too. And one copy of SQLite.
    overrides: { ...tarballs, "better-sqlite3": Projects.driver },
    // A package finds what it declares and nothing else, and a peer that is missing or out of range is an error.
    hoist: false,
    autoInstallPeers: false,
    strictPeerDependencies: true,
    strictDepBuilds: false
  })
  for (const [name, configuration] of Object.entries(Projects.configurations))
    write(`tsconfig.${name}.json`, configuration)
  const everything = [...packed.map(({ name }) => name), ...Projects.peers]
  for (const [name, names] of Object.entries({ ...Projects.dependencies, everything })) {
    mkdirSync(join(folder, name, "src"), { recursive: true })
    write(`${name}/package.json`, { name, type: "module", dependencies: versions(names) })
  }
  for (const { dependencies, examples, project } of readmes) {
    mkdirSync(join(folder, project, "src"), { recursive: true })
    const given = Object.entries(dependencies).map(([name, version]) => [
      name,
      tarballs[name] ?? version
    ])
    const chosen = Object.fromEntries(given)
    write(`${project}/package.json`, { name: project, type: "module", dependencies: chosen })
    for (const [index, code] of examples.entries()) {
      const file = fileOf(code) ?? `example${index}.ts`
      // The types of Hono itself need those of browsers. The same program is checked in this app.
      if (file !== "hono.ts") writeFileSync(join(folder, project, "src", file), code)
    }
  }
  for (const name of Object.keys(Projects.dependencies))
    cpSync(join(Projects.app, "src", name), join(folder, name, "src"), { recursive: true })
}

/** Turns the sources into programs; a project of its own imports whatever can be imported. */
const compile = async (folder: string, packed: ReadonlyArray<Packed>) => {
  const everything = join(folder, "everything")
  const entries = packed.flatMap(({ name }) =>
    Projects.entriesOf(join(everything, "node_modules", name))
  )
  const importing = (entries: ReadonlyArray<string>) =>
    entries.map((entry, index) => `export * as _${index} from "${entry}"\n`).join("")
  const isForVitest = (entry: string) => entry.endsWith("/vitest")
  writeFileSync(
    join(everything, "src/main.ts"),
    `${importing(entries.filter((entry) => !isForVitest(entry)))}process.stdout.write("loaded")\n`
  )
  // It only works in a test of vitest.
  writeFileSync(join(everything, "src/vitest.ts"), importing(entries.filter(isForVitest)))
  await build({
    absWorkingDir: folder,
    entryPoints: Object.keys({ ...Projects.dependencies, everything }).map(
      (name) => `${name}/src/main.ts`
    ),
    outdir: folder,
    entryNames: "[dir]/../dist/[name]",
    bundle: true,
    packages: "external",
    format: "esm",
    platform: "node",
    target: "node22"
  })
}
