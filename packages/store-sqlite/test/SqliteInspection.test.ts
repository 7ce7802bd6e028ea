/** Files whose rows this program does not write. */
import { readdirSync } from "node:fs"
import { createRequire, syncBuiltinESMExports } from "node:module"
import { dirname, join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as SqliteInspection from "@petstore/store-sqlite/SqliteInspection"
import * as SqliteRestore from "@petstore/store-sqlite/SqliteRestore"
import { Effect } from "effect"
import { changed, folder, live } from "./support/SqliteFile.ts"

const functions: Pick<typeof import("node:fs"), "writeFileSync"> = createRequire(import.meta.url)(
  "node:fs"
)

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
    "INSERT INTO api_keys (id, name, digest, scopes, created) VALUES (char(27) || '[31m', '', '', '', 0)",
    "the row of key \\u{1b}[31m is not a valid key"
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

  live("tries the disk with a file that has no name", function* () {
    const filename = yield* changed("SELECT 1")
    const seen: Array<ReadonlyArray<string>> = []
    const { writeFileSync } = functions
    const use = (other: typeof writeFileSync) =>
      Effect.sync(() => {
        functions.writeFileSync = other
        syncBuiltinESMExports()
      })
    const watched: typeof writeFileSync = (...values) => {
      seen.push(readdirSync(dirname(filename)))
      writeFileSync(...values)
    }
    yield* Effect.acquireRelease(use(watched), () => use(writeFileSync))
    expect(yield* SqliteInspection.run(filename)).toMatchObject({ state: "sound" })
    expect(seen).toEqual([["pets.db"]])
  })
})
