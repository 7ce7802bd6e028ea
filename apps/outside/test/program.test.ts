/** The program as others install it, on every version of Node that it supports. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import * as Outside from "./support/Outside.ts"
import { run, serve, start } from "./support/Processes.ts"
import { key } from "./support/Service.ts"
import { driver, majors, missing, nodeOf, workspace } from "./support/Workspace.ts"

let folder: string
let petstore: string

beforeAll(async () => {
  folder = Outside.makeFolder()
  const prefix = join(folder, "global")
  const tarball = join(Outside.tarballs(), "petstore-api-1.0.0.tgz")
  const words = ["install", "--global", "--prefix", prefix, tarball]
  await run("npm", words, { cwd: folder })
  petstore = join(prefix, "bin/petstore")
  return () => Outside.remove(folder)
})

it("npm installs the program as the command petstore", async ({ onTestFinished, signal }) => {
  const env = { ...process.env, PORT: "0", DATABASE_URL: `sqlite:${join(folder, "pets.db")}` }
  const place = { cwd: folder, env, signal }
  expect(await run(petstore, ["--version"], place)).toMatch(/^\d+\.\d+\.\d+\n$/)

  const url = await serve(petstore, [], { cwd: folder, env }, onTestFinished)
  const key = await run(petstore, ["keys", "create", "--name", "me"], place)
  const words = ["pets", "add", "--name", "Rex", "--category", "1"]
  const calling = { ...env, PETSTORE_URL: url, PETSTORE_API_KEY: key.trim() }
  expect(await run(petstore, words, { ...place, env: calling })).toMatch(/Rex\t/)

  const page = await fetch(`${url}/docs`)
  expect(page.status).toBe(200)
  const files = [...(await page.text()).matchAll(/(?:src|href)="([^"#:]+)"/g)]
  for (const [, path = ""] of files)
    expect([path, (await fetch(new URL(path, page.url))).status]).toEqual([path, 200])
})

it.for(["apps/api/bin/petstore.js", "apps/api/dist/main.js", "scripts/petstore.mjs"])(
  "%s says on Node 20 which Node it needs, and nothing else",
  async (script, { signal, skip }) => {
    const node = nodeOf(20)
    if (node === undefined) return skip(missing("Node 20"))
    const printed = `the Pet Store needs Node 22.19 or newer, and this is v20[.\\d]+: .+\n`
    await expect(run(node, [script, "--version"], { cwd: workspace, signal })).rejects.toThrow(
      new RegExp(`^Command failed: .+\n${printed}\n*$`)
    )
  }
)

const suites = {
  "store-memory": ["test/MemoryPetStore.test.ts", "test/MemoryApiKeyStore.test.ts"],
  "store-sqlite": ["test/SqliteStores.test.ts", "test/Driver.test.ts"],
  "store-postgres": ["test/PostgresPetStore.test.ts"]
}

describe.concurrent.for(majors)("on Node %i", (major) => {
  it("the program keeps pets in SQLite", async ({ onTestFinished, signal, skip }) => {
    const node = nodeOf(major)
    if (node === undefined) return skip(missing(`Node ${major}`))
    const cwd = join(folder, String(major))
    mkdirSync(cwd)
    const placeOf = (file: string) => ({
      cwd,
      env: { PORT: "0", PETSTORE_API_KEYS: key, DATABASE_URL: `sqlite:${join(cwd, file)}` },
      signal
    })
    const command = (...words: ReadonlyArray<string>) =>
      run(node, [petstore, ...words], placeOf("pets.db"))

    // Its migrations run at the first start, when a driver that does not fit this Node may crash.
    for (let nth = 0; nth < 2; nth++) {
      const service = start(node, [petstore, "serve"], placeOf(`${nth}.db`), onTestFinished)
      const url = await service.url
      const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" }
      const init = { method: "POST", headers, body: '{"name":"Rex","categoryId":1}' }
      const added = await fetch(`${url}/v1/pets`, init)
      service.child.kill("SIGTERM")
      expect([nth, added.status, await service.code]).toEqual([nth, 201, 0])
    }
    writeFileSync(join(cwd, "pets.csv"), "name,categoryId\nIda,1\nMia,3\n")
    await command("import", "pets.csv")
    expect(await command("keys", "create", "--new-database", "--name", "me")).toMatch(/^\S+\n$/)
    await command("backup", "backup.db")
    await command("restore", "backup.db", "--replace")
    expect(await command("export", "-")).toContain('"Mia"')
    expect(await command("keys", "list")).toContain("me")
  })
})

// The tests of the workspace run on the newest Node.
const oldest = Math.min(...majors)
it.concurrent.for(Object.entries(suites))(
  `%s obeys its laws on Node ${oldest}`,
  async ([name, files], { expect, signal, skip }) => {
    const node = nodeOf(oldest)
    if (node === undefined) return skip(missing(`Node ${oldest}`))
    const { PETSTORE_TEST_NOTES: _, ...env } = process.env
    const cwd = join(workspace, "packages", name)
    const words = ["node_modules/vitest/vitest.mjs", "run", ...files]
    expect(await run(node, words, { cwd, env, signal })).toMatch(/Tests .*\d passed/)
  }
)

it("the store's package names the line that makes two copies of SQLite one, and works with it", async () => {
  const main = `
    import * as SqliteStores from "@petstore/store-sqlite/SqliteStores"
    import { Effect, Exit, Layer } from "effect"
    const opening = Layer.build(SqliteStores.layer({ filename: "pets.db" })).pipe(Effect.scoped)
    const exit = await Effect.runPromiseExit(opening)
    console.log(Exit.isSuccess(exit) ? "opened" : exit.cause.error.cause.message)
  `
  const names = "{kernel,domain,access,store-sql,store-sqlite}"
  const open = async (project: string, overrides: object) => {
    mkdirSync(join(folder, project))
    const manifest = JSON.stringify({ private: true, type: "module", overrides })
    writeFileSync(join(folder, project, "package.json"), manifest)
    const line = `npm install ./tarballs/petstore-${names}-1.0.0.tgz effect@3`
    const cwd = await Outside.install(folder, project, line)
    writeFileSync(join(cwd, "main.mjs"), main)
    return run(process.execPath, ["main.mjs"], { cwd })
  }
  const line = `"overrides": { "better-sqlite3": "${driver}" }`
  expect(await open("copies", {})).toContain(line)
  expect(await open("copy", JSON.parse(`{${line}}`).overrides)).toBe("opened\n")
})
