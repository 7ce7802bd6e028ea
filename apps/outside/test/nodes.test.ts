/** The program on SQLite and the laws of the stores, on every version of Node that they support. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, it } from "vitest"
import * as Outside from "./support/Outside.ts"
import { run } from "./support/Processes.ts"
import * as Program from "./support/Program.ts"
import { driver, workspace } from "./support/Projects.ts"
import { majors, missing, nodeOf } from "./support/Tools.ts"

let folder: string
let petstore: string

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "petstore-nodes-")))
  petstore = realpathSync(await Program.install(folder))
})
afterAll(() => Outside.remove(folder))

const suites = {
  "store-memory": ["test/MemoryPetStore.test.ts", "test/MemoryApiKeyStore.test.ts"],
  "store-sqlite": ["test/SqliteStores.test.ts", "test/Driver.test.ts"],
  "store-postgres": ["test/PostgresPetStore.test.ts", "test/PostgresApiKeyStore.test.ts"]
}

describe.concurrent.for(majors)("on Node %i", (major) => {
  it("the program keeps pets in SQLite", async ({ expect, onTestFinished, signal, skip }) => {
    const node = nodeOf(major)
    if (node === undefined) return skip(missing(`Node ${major}`))
    const cwd = join(folder, String(major))
    mkdirSync(cwd)
    const url = (file: string) => `sqlite:${join(cwd, file)}`
    const placeOf = (file: string) => ({
      cwd,
      env: { PORT: "0", PETSTORE_API_KEYS: key, DATABASE_URL: url(file) },
      signal
    })
    const command = (...words: ReadonlyArray<string>) =>
      run(node, [petstore, ...words], placeOf("pets.db"))

    // Its migrations run at the first start, when a driver that does not fit this Node may crash.
    for (let nth = 0; nth < 10; nth++) {
      const service = await Program.start(node, petstore, placeOf(`${nth}.db`), onTestFinished)
      const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" }
      const added = await fetch(`${service.url}/v1/pets`, { method: "POST", headers, body: pet })
      expect([nth, added.status, await service.stop()]).toEqual([nth, 201, 0])
    }
    writeFileSync(join(cwd, "pets.csv"), "name,categoryId\nIda,1\nMia,3\n")
    await command("import", "pets.csv")
    expect(await command("keys", "create", "--new-database", "--name", "me")).toMatch(/^\S+\n$/)
    await command("backup", "backup.db")
    await command("restore", "backup.db", "--replace")
    expect(await command("export", "-")).toContain('"Mia"')
    expect(await command("keys", "list")).toContain("me")
  }, 240_000)

  it.for(Object.entries(suites))(
    "%s obeys its laws",
    { timeout: 240_000 },
    async (suite, context) => {
      const [name, files] = suite
      const node = nodeOf(major)
      if (node === undefined) return context.skip(missing(`Node ${major}`))
      // The tests of the workspace have run on this one.
      if (node === process.execPath) return
      const { PETSTORE_TEST_NOTES: _, ...env } = process.env
      const cwd = join(workspace, "packages", name)
      const words = ["node_modules/vitest/vitest.mjs", "run", ...files]
      const output = await run(node, words, { cwd, env, signal: context.signal })
      context.expect(output).toMatch(/Tests .*\d passed/)
    }
  )
})

describe("the store's package, installed with npm", () => {
  const main = `
    import * as SqliteStores from "@petstore/store-sqlite/SqliteStores"
    import { Effect, Exit, Layer } from "effect"
    const opening = Layer.build(SqliteStores.layer({ filename: "pets.db" })).pipe(Effect.scoped)
    const exit = await Effect.runPromiseExit(opening)
    console.log(Exit.isSuccess(exit) ? "opened" : exit.cause.error.cause.message)
  `

  it("names the line that makes two copies of SQLite one, and works with it", async ({
    expect,
    signal
  }) => {
    const cwd = join(folder, "copies")
    mkdirSync(cwd)
    writeFileSync(join(cwd, "main.mjs"), main)
    const tarballs = await Program.pack(join(folder, "packed"), "@petstore/store-sqlite...")
    const install = async (overrides: object) => {
      rmSync(join(cwd, "node_modules"), { recursive: true, force: true })
      writeFileSync(join(cwd, "package.json"), JSON.stringify({ private: true, overrides }))
      // The second copy would be compiled.
      const words = ["install", "--ignore-scripts", "--no-package-lock", ...tarballs]
      await run("npm", words, { cwd, signal })
      return run(process.execPath, ["main.mjs"], { cwd, signal })
    }
    const line = `"overrides": { "better-sqlite3": "${driver}" }`
    expect(await install({})).toContain(line)
    expect(await install(JSON.parse(`{${line}}`).overrides)).toBe("opened\n")
  }, 240_000)
})

const key = "key-of-the-outside-0123456789abcdef"
const pet = '{"name":"Rex","categoryId":1}'
