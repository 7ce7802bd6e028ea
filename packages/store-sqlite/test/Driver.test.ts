import { execFile } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@effect/vitest"
import * as Driver from "../src/internal/Driver.ts"

describe("the copies of SQLite", () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "petstore-copies-"))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const install = (name: string, version: string, within = ".") => {
    const home = join(folder, within, "node_modules", name)
    mkdirSync(home, { recursive: true })
    writeFileSync(join(home, "package.json"), JSON.stringify({ name, version }))
    writeFileSync(join(home, "index.js"), "")
    writeFileSync(join(home, "SqliteClient.js"), "")
  }
  const check = () => Driver.checkCopies(pathToFileURL(join(folder, "store.js")).href)
  const client = "@effect/sql-sqlite-node"

  it("are one if Effect's client finds the store's", () => {
    install("better-sqlite3", "13.2.0")
    install(client, "0.53.0")
    expect(check).not.toThrow()
  })

  it("are two if it has its own, and the error names the line that makes them one", () => {
    install("better-sqlite3", "13.2.0")
    install(client, "0.53.0")
    install("better-sqlite3", "12.11.1", `node_modules/${client}`)
    expect(check).toThrow(
      `add "overrides": { "better-sqlite3": "13.2.0" } to your package.json, remove node_modules`
    )
  })

  it("are one in a bundle, which finds no client", () => {
    install("better-sqlite3", "13.2.0")
    expect(check).not.toThrow()
  })

  it("are one in this workspace", () =>
    expect(() => Driver.checkCopies(import.meta.url)).not.toThrow())
})

describe("a driver", () => {
  it("returns rows as arrays with exact integers", () => {
    const database = Driver.open(":memory:")
    const one = database.prepare<[bigint, string, null], []>("SELECT 9007199254740993, 'a', NULL")
    expect([one.get(), one.all()]).toEqual([
      [9007199254740993n, "a", null],
      [[9007199254740993n, "a", null]]
    ])
    expect(database.value("SELECT 1 WHERE false")).toBe(undefined)
    database.close()
  })

  it("rolls back if the function throws or the commit fails", () => {
    const database = Driver.open(":memory:")
    database.exec(`PRAGMA foreign_keys = ON; CREATE TABLE a (id INTEGER PRIMARY KEY);
      CREATE TABLE b (id INTEGER REFERENCES a DEFERRABLE INITIALLY DEFERRED)`)
    const add = (id: number) => database.exec(`INSERT INTO b VALUES (${id})`)
    expect(() => database.transaction(() => add(1))).toThrow("FOREIGN KEY")
    expect(() =>
      database.transaction(() => {
        database.exec("INSERT INTO a VALUES (1)")
        throw new Error("thrown")
      })
    ).toThrow("thrown")
    expect(database.transaction(() => database.value("SELECT count(*) FROM a, b"))).toBe(0n)
    database.close()
  })
})

describe("a store whose driver", () => {
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
  ] as const)("%s, and says so", async ([, binary], { signal }) => {
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
})
