/** What the guide for operators says about finding, correcting and erasing pets, while a server uses the database. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { connect } from "@petstore/local-postgres/support/Session"
import { Effect } from "effect"
import { send } from "./support/Calls.ts"
import { live, places, postgresOf } from "./support/Folder.ts"
import * as Markdown from "./support/Markdown.ts"
import { run, serve } from "./support/Program.ts"
import { query, withDatabase } from "./support/Stock.ts"

const [find = "", correct = "", eraseInSqlite = "", eraseInPostgres = ""] = Markdown.blocks(
  Markdown.page("docs/operating.md"),
  "sql"
)

const key = "the-key-of-the-tests"
const fileOf = (path: string) => join(path, "data", "petstore.db")

/** Runs statements about the pet with this id, as another program would. */
const execute = (path: string, sql: string, id = 42) =>
  Effect.gen(function* () {
    const url = postgresOf(path)
    const text = sql.replaceAll("42", String(id))
    if (url === undefined) return withDatabase(fileOf(path), (database) => database.exec(text))
    const client = yield* connect(url)
    // Together they would be one transaction, as in no terminal.
    for (const one of text.trim().split(/(?<=;)\n/)) yield* Effect.promise(() => client.query(one))
  })

/** The ids of the pets that the statement of the guide finds. */
const found = (path: string) =>
  Effect.gen(function* () {
    const url = postgresOf(path)
    if (url === undefined) return query(fileOf(path), find)
    const client = yield* connect(url)
    const { rows } = yield* Effect.promise(() => client.query(find))
    return rows.map(({ id }) => Number(id))
  })

it("the guide has statements for both databases", () => {
  expect(find).toContain("SELECT")
  expect(correct).toContain("UPDATE")
  expect(eraseInSqlite).toContain("PRAGMA")
  expect(eraseInPostgres).toContain("VACUUM")
})

for (const [name, folder] of Object.entries(places)) {
  describe(`a pet in ${name}`, () => {
    live("is found, corrected and erased as the guide says", function* () {
      const path = yield* folder
      const { url } = yield* serve(path, { PETSTORE_API_KEYS: key })
      const call = (target: string, more: Readonly<Record<string, string>> = {}, body?: string) => {
        const headers = {
          Authorization: `Bearer ${key}`,
          "Content-Type": "application/json",
          ...more
        }
        const method = body === undefined ? "GET" : "POST"
        return send(`${url}/v1/pets${target}`, { method, headers, ...(body && { body }) })
      }
      const petOf = (name: string) => JSON.stringify({ name, categoryId: 1 })
      const add = (name: string) => call("", { "Idempotency-Key": name }, petOf(name))
      const names = ["First", "Rxe", "Secret"]
      for (const name of names) expect((yield* add(name)).status).toBe(201)
      const listed = Effect.map(call("?limit=2"), ({ headers, text }) => ({
        names: JSON.parse(text).map((pet: { readonly name: string }) => pet.name),
        tag: String(headers.etag),
        next: /\?[^>]+/.exec(String(headers["link"]))?.[0]
      }))
      const before = yield* listed
      expect(before.names).toEqual(["First", "Rxe"])

      yield* execute(path, correct, 2)
      expect((yield* listed).names).toEqual(["First", "Rex"])
      expect((yield* call("/2")).text).toContain('"Rex"')
      expect((yield* call("?limit=2", { "If-None-Match": before.tag })).status).toBe(200)
      expect(yield* found(path)).toEqual([2])
      expect((yield* add("Rxe")).status).toBe(422)

      yield* execute(path, name === "SQLite" ? eraseInSqlite : eraseInPostgres, 3)
      expect((yield* call(String(before.next))).text).toBe("[]")
      expect((yield* call("/3")).status).toBe(404)
      if (name === "SQLite") {
        const files = readdirSync(join(path, "data")).map((file) => join(path, "data", file))
        expect(files.length).toBeGreaterThan(1)
        for (const file of files) expect(readFileSync(file, "latin1")).not.toContain("Secret")
      }
      const again = yield* add("Secret")
      expect([again.status, again.headers.location]).toEqual([201, "/v1/pets/4"])
      expect(again.headers).not.toHaveProperty("idempotent-replayed")
      const { stdout } = yield* run(path, ["doctor"])
      expect(stdout).toMatch(/^database\tgood\t.* holds 3 pets, in \S+ \d/m)
    })
  })
}
