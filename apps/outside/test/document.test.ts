/** The OpenAPI document, as linters see it, and the clients that others generate from it. */
import { execFile } from "node:child_process"
import { cpSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createConfig, lintFromString } from "@redocly/openapi-core"
import spectral, { type RulesetDefinition } from "@stoplight/spectral-core"
import rulesets from "@stoplight/spectral-rulesets"
import { build } from "esbuild"
import { beforeAll, describe, expect, it } from "vitest"
import * as Outside from "./support/Outside.ts"
import { run } from "./support/Processes.ts"
import * as Service from "./support/Service.ts"
import {
  app,
  compilers,
  missing,
  nodeOf,
  readManifest,
  textOf,
  tools
} from "./support/Workspace.ts"

const document = JSON.parse(textOf("openapi.json"))

describe("the OpenAPI document", () => {
  const lintWithSpectral = (subject: Record<string, unknown>) => {
    const linter = new spectral.Spectral()
    linter.setRuleset({ extends: [[rulesets.oas as RulesetDefinition, "recommended"]] })
    return linter.run(subject)
  }

  it("passes Spectral's rules, which notice an invalid example", async () => {
    expect(await lintWithSpectral(document)).toEqual([])
    const worse = structuredClone(document)
    const { requestBody } = worse.paths["/pets"].post
    requestBody.content["application/json"].examples.available.value.name = 1
    const problems = await lintWithSpectral(worse)
    expect(problems.map(({ code }) => code)).toEqual(["oas3-valid-media-example"])
  })

  it("passes Redocly's rules", async () => {
    const lint = async (subject: object) =>
      lintFromString({
        source: JSON.stringify(subject),
        config: await createConfig({ extends: ["recommended"] }),
        absoluteRef: "openapi.json"
      })
    expect(await lint(document)).toEqual([])
    expect(await lint({ ...document, servers: [] })).not.toEqual([])
  })
})

/** The generators, by the clients in `clients` that use them. */
const generators: ReadonlyArray<readonly [client: string, ...command: ReadonlyArray<string>]> = [
  ["openapi-fetch", "openapi-typescript", "openapi.json", "-o", "generated/openapi-typescript.ts"],
  ["orval", "orval", "--config", "orval.config.cjs"],
  ["hey-api", "@hey-api/openapi-ts", "-i", "openapi.json", "-o", "generated/hey-api"]
]

describe("clients that are generated from it", () => {
  const stops: Array<() => Promise<void>> = []
  const folder = Outside.makeFolder()
  let service: string

  beforeAll(async () => {
    service = await Service.startEmpty(folder, (stop) => stops.push(stop))
    cpSync(join(app, "clients"), folder, { recursive: true })
    symlinkSync(tools, join(folder, "node_modules"))
    writeFileSync(join(folder, "openapi.json"), JSON.stringify(document))
    const output = { target: "generated/orval.ts", client: "fetch", baseUrl: `${service}/v1` }
    const config = JSON.stringify({ petstore: { input: "openapi.json", output } })
    writeFileSync(join(folder, "orval.config.cjs"), `module.exports = ${config}`)
    return async () => {
      for (const stop of stops) await stop()
      Outside.remove(folder)
    }
  })

  /** Generates a client, and resolves to everything that its generator prints. */
  const generate = (name: string, words: ReadonlyArray<string>) =>
    new Promise<string>((resolve, reject) => {
      const { bin } = readManifest(join(tools, name))
      const script = typeof bin === "string" ? bin : Object.values<string>(bin)[0]
      const place = { cwd: folder, env: { ...process.env, NO_COLOR: "1" } }
      const file = join(tools, name, script ?? "")
      execFile(process.execPath, [file, ...words], place, (error, stdout, stderr) =>
        error === null ? resolve(stdout + stderr) : reject(new Error(`${error.message}\n${stdout}`))
      )
    })

  it.for(generators)("generates without a warning: %s", async ([, name = "", ...words]) => {
    const output = await generate(name, words)
    expect(output).not.toBe("")
    expect(output).not.toMatch(/warn|⚠|error|invalid|unsupported|deprecat|fail|skip/i)
  })

  it("suit the strict compiler, which finds misspelled fields", async ({ signal }) => {
    await run(process.execPath, [compilers["7.0"], "-p", "."], { cwd: folder, signal })
  })

  it("call the service", async ({ signal }) => {
    await build({
      absWorkingDir: folder,
      entryPoints: generators.map(([client]) => `${client}.ts`),
      outdir: "dist",
      outExtension: { ".js": ".mjs" },
      bundle: true,
      format: "esm",
      platform: "node",
      target: "node22"
    })
    for (const [name] of generators) {
      const words = [`dist/${name}.mjs`, `${service}/v1`, Service.key, name]
      const report = JSON.parse(await run(process.execPath, words, { cwd: folder, signal }))
      const created = { id: expect.any(Number), name, categoryId: 7, status: "sold" }
      expect(report).toEqual({
        created,
        got: report.created,
        listed: expect.arrayContaining([report.created]),
        refused: { code: "unauthorized", message: "the API key is not valid", status: 401 }
      })
    }
  })
})

it("the recipe for exact integers in JavaScript works as it says", async ({ skip }) => {
  const node = nodeOf(22)
  if (node === undefined) return skip(missing("Node 22"))
  const [, recipe] = /```js\n(.*?)```/s.exec(document.info.description) ?? []
  expect(await run(node, ["-e", `${recipe}\nconsole.log(String(id), body)`], { cwd: app })).toBe(
    '9007199254740993 {"name":"Rex","categoryId":9007199254740993}\n'
  )
})
