/** Files whose rows this program does not write. */
import { constants, readdirSync } from "node:fs"
import { createRequire, syncBuiltinESMExports } from "node:module"
import { dirname, join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as SqliteInspection from "@petstore/store-sqlite/SqliteInspection"
import * as SqliteRestore from "@petstore/store-sqlite/SqliteRestore"
import { Effect } from "effect"
import { changed, folder, live, names, openStore } from "./support/SqliteFile.ts"

type Functions = Pick<typeof import("node:fs"), "accessSync" | "writeFileSync">

const functions: Functions = createRequire(import.meta.url)("node:fs")

/** Uses these in place of Node's while the scope is open. */
const using = (others: Partial<Functions>) => {
  const assign = (others: Partial<Functions>) => {
    const { accessSync, writeFileSync } = functions
    Object.assign(functions, others)
    syncBuiltinESMExports()
    return { accessSync, writeFileSync }
  }
  return Effect.acquireRelease(
    Effect.sync(() => assign(others)),
    (before) => Effect.sync(() => assign(before))
  )
}

const counts = "api_key_changes does not have one row with valid counts"

const cases: ReadonlyArray<readonly [sql: string, problem: string]> = [
  ["UPDATE api_key_changes SET count = 9223372036854775807", counts],
  ["UPDATE api_key_changes SET count = -1", counts],
  ["UPDATE api_key_changes SET removed = 9007199254740992", counts],
  ["UPDATE api_key_changes SET removed = -1", counts],
  ["DELETE FROM api_key_changes", counts],
  ["INSERT INTO api_key_changes (count) VALUES (0)", counts],
  ["UPDATE pets SET name = 'a' || char(0) || 'b'", "the name of pet 1 contains U+0000"],
  [
    `PRAGMA writable_schema = ON;
     UPDATE sqlite_schema SET sql = replace(sql, 'IS NOT NULL', '= 1') WHERE name = 'pets_by_status';
     PRAGMA writable_schema = RESET; UPDATE pets SET status = 'sold'; PRAGMA writable_schema = ON;
     UPDATE sqlite_schema SET sql = replace(sql, '= 1', 'IS NOT NULL') WHERE name = 'pets_by_status'`,
    "row 1 missing from index pets_by_status"
  ],
  [
    "INSERT INTO api_keys (id, name, digest, scopes, created) VALUES ('bad', '', '', '', 0)",
    "the row of key bad is not a valid key"
  ]
]

describe("a file is damaged and not restored", () => {
  it.scopedLive.each(cases)("after %s", ([sql, problem]) =>
    Effect.gen(function* () {
      const backup = yield* changed(sql)
      expect(yield* SqliteInspection.run(backup)).toEqual({ state: "damaged", problems: [problem] })
      const filename = join(yield* folder, "restored.db")
      const restoring = SqliteRestore.run({ backup, filename, replaces: false })
      expect(yield* Effect.flip(restoring)).toMatchObject({
        reason: "unusable",
        cause: `damaged (${problem})`
      })
    })
  )
})

describe("an inspection", () => {
  it.scopedLive.each(["/dev/null", "/dev/zero", "/dev"])("fails for %s: it is not a file", (path) =>
    Effect.gen(function* () {
      expect(yield* Effect.flip(SqliteInspection.run(path))).toMatchObject({
        reason: "down",
        cause: { message: "it is not a file" }
      })
    })
  )

  live("says that a file cannot be written, though its folder can", function* () {
    const filename = yield* changed("SELECT 1")
    // As for a user who is not root.
    const accessSync: Functions["accessSync"] = (path, mode) => {
      if (path === filename && mode === constants.W_OK) throw new Error("permission denied")
    }
    yield* using({ accessSync })
    expect(yield* SqliteInspection.run(filename)).toEqual({
      state: "unwritable",
      problems: ["permission denied"]
    })
  })

  live("finds names that are longer than those that are added now, and are listed", function* () {
    const filename = yield* changed(
      `INSERT INTO pets (name, category_id)
       VALUES (replace(hex(zeroblob(500)), '0', '🐾'), 1), (replace(hex(zeroblob(501)), '0', '🐾'), 1)`
    )
    expect(yield* SqliteInspection.run(filename)).toMatchObject({ state: "sound", longNames: [3n] })
    const found = yield* names(yield* openStore({ filename }))
    expect(found.map((name) => Array.from(name).length)).toEqual([3, 1000, 1002])
  })

  live("tries the disk with a file that has no name", function* () {
    const filename = yield* changed("SELECT 1")
    const seen: Array<ReadonlyArray<string>> = []
    const { writeFileSync } = functions
    const watched: typeof writeFileSync = (...values) => {
      seen.push(readdirSync(dirname(filename)))
      writeFileSync(...values)
    }
    yield* using({ writeFileSync: watched })
    expect(yield* SqliteInspection.run(filename)).toMatchObject({
      state: "sound",
      system: expect.stringMatching(/^SQLite \d+\.\d+\.\d+$/)
    })
    expect(seen).toEqual([["pets.db"]])
  })
})
