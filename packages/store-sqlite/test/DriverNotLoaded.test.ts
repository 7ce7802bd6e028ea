/** The failure of a store whose driver has no binary, or one that does not fit: in a process with such a driver. */
import { execFile } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, it } from "@effect/vitest"

let folder: string

/** Opens a store, and prints the failure. */
const program = `
  import * as Effect from "effect/Effect"
  import * as Layer from "effect/Layer"
  import { DriverNotLoaded } from "./dist/DriverNotLoaded.js"
  import { layer } from "./dist/SqliteStores.js"

  const opening = Effect.scoped(Layer.build(layer({ filename: "pets.db" })))
  const { _tag, cause, reason } = await Effect.runPromise(Effect.flip(opening))
  console.log(JSON.stringify([_tag, reason, cause instanceof DriverNotLoaded, cause.message]))
`

/** The built package with the JavaScript of its driver only. Other packages are where they are. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "petstore-driver-"))
  const installed = join(folder, "node_modules")
  const driver = dirname(createRequire(import.meta.url).resolve("better-sqlite3/package.json"))
  const home = join(import.meta.dirname, "..")
  mkdirSync(installed)
  for (const name of ["@effect", "@petstore", "effect"])
    symlinkSync(join(home, "node_modules", name), join(installed, name))
  for (const name of ["lib", "package.json"])
    cpSync(join(driver, name), join(installed, "better-sqlite3", name), { recursive: true })
  cpSync(join(home, "dist"), join(folder, "dist"), { recursive: true })
  writeFileSync(join(folder, "package.json"), '{"type":"module"}')
  writeFileSync(join(folder, "main.js"), program)
})

afterAll(() => rmSync(folder, { recursive: true }))

it.for([
  ["has no binary", undefined],
  ["has a binary that Node cannot load", "no binary of this machine"]
] as const)("a store whose driver %s says so", async ([, binary], { signal }) => {
  if (binary !== undefined) {
    const build = join(folder, "node_modules/better-sqlite3/build/Release")
    mkdirSync(build, { recursive: true })
    writeFileSync(join(build, "better_sqlite3.node"), binary)
  }
  const place = { cwd: folder, signal }
  const { stdout } = await promisify(execFile)(process.execPath, ["main.js"], place)
  expect(JSON.parse(stdout)).toEqual([
    "StoreUnavailable",
    "down",
    true,
    `better-sqlite3 has no binary that Node ${process.version} can load on ${process.platform}-${process.arch}: install it again, or set DATABASE_URL to another database`
  ])
})
