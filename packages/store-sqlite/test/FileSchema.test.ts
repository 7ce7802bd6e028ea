/** Files whose schema is not the one that migrations make. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as SqliteBackup from "@petstore/store-sqlite/SqliteBackup"
import * as SqliteInspection from "@petstore/store-sqlite/SqliteInspection"
import * as SqliteRestore from "@petstore/store-sqlite/SqliteRestore"
import { Effect } from "effect"
import * as FileSchema from "../src/internal/FileSchema.ts"
import { changed, folder, live, names, openStore } from "./support/SqliteFile.ts"

/** As many rows as a query that never ends has, for a test. */
const endless = `AS WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n)
  SELECT id AS migration_id, id, 'x' AS name, 1 AS category_id, NULL AS status FROM n`

/** What is said of such an entry. */
const notMade = (entry: string) => new RegExp(`^petstore did not make its ${entry}$`)

const cases: ReadonlyArray<readonly [what: string, sql: string, problem: RegExp]> = [
  [
    "a trigger",
    "CREATE TRIGGER evil AFTER INSERT ON pets BEGIN DELETE FROM pets; END",
    notMade("trigger evil")
  ],
  [
    "another trigger of the same name",
    `DROP TRIGGER api_keys_after_insert;
     CREATE TRIGGER api_keys_after_insert AFTER INSERT ON api_keys BEGIN DELETE FROM pets; END`,
    notMade("trigger api_keys_after_insert")
  ],
  [
    "a view in the place of pets",
    `DROP TABLE pets; CREATE VIEW pets ${endless}`,
    /^petstore did not make its view pets; its table pets is missing; /
  ],
  [
    "a generated column",
    "ALTER TABLE pets ADD COLUMN more TEXT AS (name || name)",
    notMade("table pets")
  ],
  [
    "a table that refers to one of petstore",
    "CREATE TABLE more (id REFERENCES pets ON DELETE RESTRICT)",
    notMade("table more")
  ],
  ["a virtual table", "CREATE VIRTUAL TABLE more USING fts5 (name)", notMade("table more")],
  ["an index on an expression", "CREATE INDEX more ON pets (length(name))", notMade("index more")],
  [
    "a space that SQLite takes for a letter",
    `PRAGMA writable_schema = ON;
     UPDATE sqlite_schema SET sql = replace(sql, 'removed = count', 'removed =' || char(160) || 'count')
     WHERE name = 'api_keys_after_delete'`,
    notMade("trigger api_keys_after_delete")
  ],
  ["no index", "DROP INDEX pets_by_status", /^its index pets_by_status is missing$/]
]

const harmless: ReadonlyArray<readonly [what: string, sql: string]> = [
  ["the statistics of ANALYZE", "ANALYZE"],
  [
    "a table of another program",
    "CREATE TABLE _replica (id INTEGER PRIMARY KEY, seq INTEGER UNIQUE); CREATE INDEX more ON _replica (seq, id)"
  ]
]

describe("the differences of a schema", () => {
  const made = FileSchema.of(["CREATE TABLE pets (id)"])

  it("include a second entry that is the same", () => {
    expect(FileSchema.differences([...made, ...made], made)).toEqual([
      "petstore did not make its table pets"
    ])
  })

  it("are the first ten", () => {
    const others = Array.from({ length: 11 }, (_, nth) => `CREATE VIEW v${nth} AS SELECT 1`)
    expect(FileSchema.differences(FileSchema.of(others), made)).toEqual(
      others.slice(0, 10).map((_, nth) => `petstore did not make its view v${nth}`)
    )
  })
})

describe("a file with", () => {
  for (const [what, sql, problem] of cases) {
    live(`${what} is damaged, not opened, not copied and not restored`, function* () {
      const filename = yield* changed(sql)
      expect(yield* SqliteInspection.run(filename)).toMatchObject({ state: "damaged" })
      const copy = join(yield* folder, "copy.db")
      const uses = [
        SqliteBackup.run({ filename, to: copy }),
        Effect.asVoid(Effect.scoped(openStore({ filename }))),
        Effect.asVoid(SqliteInspection.keys(filename))
      ]
      for (const use of uses) {
        expect(yield* Effect.flip(use)).toMatchObject({
          reason: "damaged",
          cause: { message: expect.stringMatching(problem) }
        })
      }
      expect(existsSync(copy)).toBe(false)
      const to = join(yield* folder, "restored.db")
      const restoring = SqliteRestore.run({ backup: filename, filename: to, replaces: false })
      expect(yield* Effect.flip(restoring)).toMatchObject({
        reason: "unusable",
        cause: { message: expect.stringMatching(problem) }
      })
    })
  }

  live("a view in the place of its version is no Pet Store database", function* () {
    const backup = yield* changed(
      `DROP TABLE petstore_migrations; CREATE VIEW petstore_migrations ${endless}`
    )
    expect(yield* SqliteInspection.run(backup)).toMatchObject({ state: "damaged" })
    const to = join(yield* folder, "restored.db")
    const restoring = SqliteRestore.run({ backup, filename: to, replaces: false })
    const why = "it is not a Pet Store database"
    expect(yield* Effect.flip(restoring)).toMatchObject({ cause: { message: why } })
    const copying = SqliteBackup.run({ filename: backup, to })
    expect(yield* Effect.flip(copying)).toMatchObject({
      reason: "damaged",
      cause: { message: why }
    })
  })

  it.scopedLive.each(harmless)("%s is sound, opened, copied and restored", ([, sql]) =>
    Effect.gen(function* () {
      const filename = yield* changed(sql)
      expect(yield* SqliteInspection.run(filename)).toMatchObject({ state: "sound", pets: 1 })
      expect(yield* names(yield* openStore({ filename }))).toEqual(["Rex"])
      const path = yield* folder
      const [backup, restored] = [join(path, "backup.db"), join(path, "restored.db")]
      yield* SqliteBackup.run({ filename, to: backup })
      yield* SqliteRestore.run({ backup, filename: restored, replaces: false })
      expect(yield* names(yield* openStore({ filename: restored }))).toEqual(["Rex"])
    })
  )
})
