/** Clients of the service that generators make of its OpenAPI document. */
import { execFile } from "node:child_process"
import { cpSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { build } from "esbuild"
import { app } from "./Projects.ts"
import { scriptOf, tools } from "./Tools.ts"

/** The generators, by the clients in `clients` that use them. */
export const generators: Readonly<Record<string, ReadonlyArray<string>>> = {
  "openapi-fetch": ["openapi-typescript", "openapi.json", "-o", "generated/openapi-typescript.ts"],
  orval: ["orval", "--config", "orval.config.cjs"],
  "hey-api": ["@hey-api/openapi-ts", "-i", "openapi.json", "-o", "generated/hey-api"]
}

/** Makes a folder with the clients, and with what they and the generators need. */
export const makeFolder = (): string => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "petstore-clients-")))
  cpSync(join(app, "clients"), folder, { recursive: true })
  symlinkSync(tools, join(folder, "node_modules"))
  return folder
}

/** Gets the document of a service into the folder. */
export const getDocument = async (folder: string, service: string): Promise<void> =>
  putDocument(folder, service, await (await fetch(`${service}/openapi.json`)).text())

/** Puts the document of a service into the folder. */
export const putDocument = (folder: string, service: string, document: string): void => {
  const write = (file: string, content: string) => writeFileSync(join(folder, file), content)
  write("openapi.json", document)
  const output = { target: "generated/orval.ts", client: "fetch", baseUrl: `${service}/v1` }
  const config = { petstore: { input: "openapi.json", output } }
  write("orval.config.cjs", `module.exports = ${JSON.stringify(config)}`)
}

/** Generates a client, and resolves to everything that its generator prints. */
export const generate = (
  folder: string,
  [name = "", ...words]: ReadonlyArray<string>,
  signal: AbortSignal
): Promise<string> =>
  new Promise((resolve, reject) => {
    const place = { cwd: folder, env: { ...process.env, NO_COLOR: "1" }, signal }
    execFile(process.execPath, [scriptOf(name), ...words], place, (error, stdout, stderr) =>
      error === null ? resolve(stdout + stderr) : reject(new Error(`${error.message}\n${stdout}`))
    )
  })

/** Turns the clients into programs. */
export const bundle = (folder: string) =>
  build({
    absWorkingDir: folder,
    entryPoints: Object.keys(generators).map((name) => `${name}.ts`),
    outdir: "dist",
    outExtension: { ".js": ".mjs" },
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20"
  })
