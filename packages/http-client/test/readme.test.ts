/** The examples of the README run, and print what they say. That they compile is tested from outside. */
import { execFile } from "node:child_process"
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { describe, expect, it } from "@effect/vitest"
import { transformSync } from "esbuild"
import { onTestFinished } from "vitest"
import { keys, startProxy } from "./support/Clients.ts"

const run = promisify(execFile)
// Inside the package, so that its own name resolves.
const folder = fileURLToPath(new URL("../dist/readme/", import.meta.url))

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8")
const examples = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, code = ""]) => code)

describe("the README", () => {
  it("has examples that run", { timeout: 120_000 }, async () => {
    mkdirSync(folder, { recursive: true })
    onTestFinished(() => rmSync(folder, { recursive: true }))
    for (const [index, code] of examples.entries())
      writeFileSync(`${folder}${index}.js`, transformSync(code, { loader: "ts" }).code)
    const { url: PETSTORE_URL } = await startProxy()
    const env = { ...process.env, PETSTORE_URL, PETSTORE_API_KEY: keys.all, NO_COLOR: "1" }
    const outputs: Array<string> = []
    for (const index of examples.keys()) {
      outputs.push((await run(process.execPath, [`${folder}${index}.js`], { env })).stdout)
    }
    expect(outputs).toEqual([
      "{ id: 1n, name: 'Rex', categoryId: 1n, status: 'available' }\nRex\n1 false true\ninvalid_parameter 400\n",
      "Rex\n",
      "unavailable\n1\n[ 'GET http://pets.test/v1/pets?', 'GET http://pets.test/v1/pets?' ]\n",
      '{"id":1,"name":"Rex","categoryId":9007199254740993}\n9007199254740993n\n',
      "[ { id: 1n, name: 'Rex', categoryId: 1n, status: 'available' } ]\n"
    ])
  })
})
