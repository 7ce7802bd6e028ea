import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterEach, beforeEach, describe, expect, it } from "@effect/vitest"
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
  it("gives rows as arrays, whose integers are exact", () => {
    const database = Driver.open(":memory:")
    const one = database.prepare<[bigint, string, null], []>("SELECT 9007199254740993, 'a', NULL")
    expect([one.get(), one.all(), [...one.iterate()]]).toEqual([
      [9007199254740993n, "a", null],
      [[9007199254740993n, "a", null]],
      [[9007199254740993n, "a", null]]
    ])
    expect(database.value("SELECT 1 WHERE false")).toBe(undefined)
    database.close()
  })

  it("rolls back what a function did that throws, also if the commit fails", () => {
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
    expect(database.isInTransaction()).toBe(false)
    expect(database.value("SELECT count(*) FROM a, b")).toBe(0n)
    database.close()
  })
})
