import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import * as SqliteFailure from "../src/internal/SqliteFailure.ts"
import { live, setUp } from "./support/SqliteFile.ts"

const reasonOf = (code: string) =>
  SqliteFailure.from(Object.assign(new Error("message"), { code })).reason

it.each([
  ["BUSY_SNAPSHOT", "busy"],
  ["LOCKED", "busy"],
  ["FULL", "full"],
  ["IOERR_WRITE", "full"],
  ["IOERR_SHMSIZE", "full"],
  ["IOERR_FSYNC", "down"],
  ["IOERR_SHORT_READ", "damaged"],
  ["NOTADB", "damaged"],
  ["CORRUPT_INDEX", "damaged"]
])("SQLite's code %s says that a store is %s", (code, reason) => {
  expect(reasonOf(`SQLITE_${code}`)).toBe(reason)
})

describe("the failure of a file that cannot be written", () => {
  live("has the reason read-only", function* () {
    const { other } = yield* setUp
    other.pragma("query_only = ON")
    const add = Either.try({
      try: () => other.exec("INSERT INTO pets (name, category_id) VALUES ('x', 1)"),
      catch: SqliteFailure.from
    })
    expect(add).toMatchObject({ left: { reason: "read-only" } })
  })

  it("has that reason for every extended code, but not for a file that was moved", () => {
    const reasons = ["DIRECTORY", "CANTINIT", "CANTLOCK", "RECOVERY", "ROLLBACK", "DBMOVED"].map(
      (name) => reasonOf(`SQLITE_READONLY_${name}`)
    )
    const readOnly = "read-only"
    expect(reasons).toEqual([readOnly, readOnly, readOnly, readOnly, readOnly, "down"])
  })
})
