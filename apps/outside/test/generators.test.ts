/** Clients that others generate from the OpenAPI document, as they call the service. */
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, it } from "vitest"
import * as Generators from "./support/Generators.ts"
import { run } from "./support/Processes.ts"
import * as Service from "./support/Service.ts"
import { compilers, missing, nodeOf } from "./support/Tools.ts"

const stops: Array<() => Promise<void>> = []
const clients = Object.entries(Generators.generators)
const folder = Generators.makeFolder()
let service: string

beforeAll(async () => {
  service = await Service.startEmpty(folder, (stop) => stops.push(stop))
  await Generators.getDocument(folder, service)
})

afterAll(async () => {
  for (const stop of stops) await stop()
  rmSync(folder, { recursive: true })
})

describe("from the document", () => {
  it.concurrent.for(clients)(
    "a client is generated without a warning: %s",
    async ([, generator], { expect, signal }) => {
      const output = await Generators.generate(folder, generator, signal)
      expect(output).not.toBe("")
      expect(output).not.toMatch(/warn|⚠|error|invalid|unsupported|deprecat|fail|skip/i)
    }
  )

  it("all of them suit the strict compiler, which finds misspelled fields", async ({ signal }) => {
    await run(process.execPath, [compilers["7.0"], "-p", "."], { cwd: folder, signal })
  })

  it("all of them call the service", async ({ expect, signal }) => {
    await Generators.bundle(folder)
    for (const [name] of clients) {
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

describe("the recipe for exact integers in JavaScript", () => {
  it("works as it says", async ({ expect, signal, skip }) => {
    const node = nodeOf(22)
    if (node === undefined) return skip(missing("Node 22"))
    const { info } = JSON.parse(readFileSync(join(folder, "openapi.json"), "utf8"))
    const [, recipe] = /```js\n(.*?)```/s.exec(info.description) ?? []
    const script = `${recipe}\nconsole.log(String(id), body)`
    expect(await run(node, ["-e", script], { cwd: folder, signal })).toBe(
      '9007199254740993 {"name":"Rex","categoryId":9007199254740993}\n'
    )
  })
})
