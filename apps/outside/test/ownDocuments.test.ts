/** The OpenAPI documents of APIs of one's own: those that READMEs and the guide show. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as OpenApiDocument from "@petstore/http-api/OpenApiDocument"
import * as Adoptions from "adoptions/Adoptions"
import { build } from "esbuild"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Generators from "./support/Generators.ts"
import { lintWithRedocly, lintWithSpectral } from "./support/Linters.ts"
import { run } from "./support/Processes.ts"
import { app } from "./support/Projects.ts"
import { readmes } from "./support/Readmes.ts"
import { compilers } from "./support/Tools.ts"

type Node = ReturnType<typeof JSON.parse>

/** The examples of READMEs that declare an API, and its name. */
const contracts = readmes.flatMap(({ examples, project }) =>
  examples.flatMap((code) => {
    const name = /class (\w+) extends HttpApi\.make/.exec(code)?.[1]
    return name === undefined ? [] : [{ project, code, name }]
  })
)

const folder = mkdtempSync(join(tmpdir(), "petstore-documents-"))
afterAll(() => rmSync(folder, { recursive: true }))

/** The document of an API that an example declares. */
const documentOf = async ({ code, name, project }: (typeof contracts)[number]): Promise<Node> => {
  const contents =
    `${code}\nimport { make } from "@petstore/http-api/OpenApiDocument"\n` +
    `process.stdout.write(JSON.stringify(make({ api: ${name}, prefix: "/v1", realm: "own" })))\n`
  const outfile = join(folder, `${project}.mjs`)
  await build({
    stdin: { contents, resolveDir: app, loader: "ts" },
    ...{ outfile, bundle: true, format: "esm", platform: "node", target: "node22" }
  })
  return JSON.parse(await run(process.execPath, [outfile], { cwd: folder }))
}

const documents = new Map<string, Node>()
beforeAll(async () => {
  for (const one of contracts) documents.set(one.project, await documentOf(one))
  const adoptions = OpenApiDocument.make(Adoptions.at("/v1"))
  documents.set("adoptions", JSON.parse(JSON.stringify(adoptions)))
})

describe.each([...contracts.map(({ project }) => project), "adoptions"])(
  "the document of %s",
  (name) => {
    it("is valid", async () => {
      const document = documents.get(name)
      expect(await lintWithRedocly(document)).toEqual([])
      expect(await lintWithSpectral(document)).toEqual([])
    })

    it("is what generators make clients of, which compile", async ({ signal }) => {
      const clients = Generators.makeFolder()
      try {
        Generators.putDocument(clients, "http://localhost", JSON.stringify(documents.get(name)))
        for (const generator of Object.values(Generators.generators))
          await Generators.generate(clients, generator, signal)
        // The clients of the Pet Store do not suit another document.
        for (const client of Object.keys(Generators.generators))
          rmSync(join(clients, `${client}.ts`))
        const files = ["openapi-typescript.ts", "orval.ts", "hey-api/index.ts"]
        const lines = files.map((file) => `import "./generated/${file}"\n`)
        writeFileSync(join(clients, "all.ts"), lines.join(""))
        await run(process.execPath, [compilers["7.0"], "-p", "."], { cwd: clients, signal })
      } finally {
        rmSync(clients, { recursive: true })
      }
    })
  }
)

it("speaks of API keys only if callers have them", () => {
  for (const document of documents.values())
    expect(JSON.stringify(document)).not.toMatch(/API key|apiKey/)
})

it("is tested for the README of the server, at least", () => {
  expect(contracts.map(({ project }) => project)).toContain("readme-http-server")
})
