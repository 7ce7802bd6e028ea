/** Folders outside the workspace, in which packages are installed as their READMEs say. */
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inject } from "vitest"
import { run } from "./Processes.ts"
import { app, driver, type Package, packages, pnpmCommand } from "./Workspace.ts"

/** Makes an empty folder. */
export const makeFolder = (): string => fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "petstore-")))

/** Removes a folder. */
export const remove = (folder: string): void => fs.rmSync(folder, { recursive: true, force: true })

/** The folder of the packed packages. */
export const tarballs = (): string => inject("tarballs")

/** Makes a project with a link to the tarballs, and runs a line of a shell in it. */
export const install = async (folder: string, name: string, line: string): Promise<string> => {
  const cwd = join(folder, name)
  fs.mkdirSync(join(cwd, "src"), { recursive: true })
  fs.symlinkSync(tarballs(), join(cwd, "tarballs"))
  if (!fs.existsSync(join(cwd, "package.json")))
    fs.writeFileSync(join(cwd, "package.json"), '{ "private": true, "type": "module" }')
  const words = "--prefer-offline --no-audit --no-fund --ignore-scripts"
  await run("bash", ["-c", line.replaceAll("npm install", `npm install ${words}`)], { cwd })
  return cwd
}

/**
 * Makes a project of each package as its README says, with its examples and our programs. They are installed by pnpm, which
 * takes a tenth of npm's time, and shows each project only what its README installs.
 */
export const make = async (): Promise<string> => {
  const folder = makeFolder()
  const overrides = packages.map(({ name }) => [
    `@petstore/${name}`,
    `file:${tarballs()}/petstore-${name}-1.0.0.tgz`
  ])
  const settings = {
    packages: ["*"],
    overrides: { "better-sqlite3": driver, ...Object.fromEntries(overrides) },
    minimumReleaseAge: 0
  }
  fs.writeFileSync(join(folder, "pnpm-workspace.yaml"), JSON.stringify(settings))
  const add = `${pnpmCommand.join(" ")} add --prefer-offline --ignore-scripts`
  // One after the other: they share a lock file.
  for (const { installs, name } of packages)
    await install(folder, name, installs.replaceAll("npm install", add))
  fs.mkdirSync(join(folder, "node_modules/@types"), { recursive: true })
  fs.symlinkSync(join(app, "node_modules/@types/node"), join(folder, "node_modules/@types/node"))
  for (const one of packages) addPrograms(join(folder, one.name), one)
  return folder
}

const addPrograms = (cwd: string, { modules, name, readme }: Package) => {
  const sources = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, code = ""]) => code)
  for (const [index, code] of sources.entries())
    fs.writeFileSync(join(cwd, `src/readme${index}.ts`), code)
  // That one works in a test of vitest only.
  const loaded = modules.filter((module) => !module.endsWith("/vitest"))
  const exported = loaded.map((module, index) => `export * as _${index} from "${module}"`)
  fs.writeFileSync(join(cwd, "src/everything.ts"), exported.join("\n"))
  const programs = join(app, "src", name)
  if (fs.existsSync(programs)) fs.cpSync(programs, join(cwd, "src"), { recursive: true })
}

const common = {
  target: "ES2023",
  lib: ["ES2023"],
  types: ["node"],
  strict: true,
  exactOptionalPropertyTypes: true,
  allowImportingTsExtensions: true,
  noEmit: true
}
const bundler = { module: "esnext", moduleResolution: "bundler" }

/** How the projects are compiled: all of them for Node, and for browsers what runs there. */
export const configurations = {
  nodenext: {
    compilerOptions: { ...common, module: "nodenext" },
    include: ["*/src/*.ts"]
  },
  bundler: { compilerOptions: { ...common, ...bundler }, include: ["*/src/*.ts"] },
  browser: {
    compilerOptions: { ...common, ...bundler, lib: ["ES2023", "DOM"], types: [] },
    include: ["http-client/src/calls.ts"]
  }
}
