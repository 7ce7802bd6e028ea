/** The program as others install it. */
import { mkdtempSync, realpathSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import * as Outside from "./support/Outside.ts"
import { run, serve } from "./support/Processes.ts"
import * as Program from "./support/Program.ts"
import { readManifest, workspace } from "./support/Projects.ts"
import { missing, nodeOf } from "./support/Tools.ts"

/** Run where only the program and its driver are installed. */
const testing = `
  import { startPetStore } from "@petstore/api/testing"
  const { apiKey, stop, url } = await startPetStore({ store: "sqlite:testing.db" })
  const headers = { Authorization: "Bearer " + apiKey }
  const { status } = await fetch(url + "/v1/pets", { headers })
  await stop()
  console.log(status)
`

it("npm installs the program as the command petstore, which tests can start, too", async ({
  onTestFinished,
  signal
}) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "petstore-program-")))
  onTestFinished(() => Outside.remove(folder))
  const petstore = await Program.install(folder)
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

  const script = join(folder, "global/lib/testing.mjs")
  writeFileSync(script, testing)
  expect(await run(process.execPath, [script], place)).toBe("200\n")
})

it.for(["apps/api/bin/petstore.js", "apps/api/dist/main.js", "scripts/petstore.mjs"])(
  "%s says on Node 20 which Node it needs, and nothing else",
  async (script, { signal, skip }) => {
    const node = nodeOf(20)
    if (node === undefined) return skip(missing("Node 20"))
    const [, needed] = /^>=([\d.]+)$/.exec(readManifest(workspace).engines.node) ?? []
    const printed = `the Pet Store needs Node ${needed} or newer, and this is v20[.\\d]+: .+\n`
    await expect(run(node, [script, "--version"], { cwd: workspace, signal })).rejects.toThrow(
      new RegExp(`^Command failed: .+\n${printed}\n*$`)
    )
  }
)

it("npm start names the command that works without pnpm", async ({ signal }) => {
  const place = { cwd: workspace, env: { PATH: "", npm_lifecycle_event: "start" }, signal }
  await expect(run(process.execPath, ["scripts/install.mjs"], place)).rejects.toThrow(
    /^Command failed: .+\npnpm is missing: run npx pnpm start\n*$/
  )
})
