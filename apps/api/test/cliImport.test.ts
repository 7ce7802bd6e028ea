import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { folder, places } from "./support/Folder.ts"
import { importing, pet } from "./support/Importing.ts"
import { run, runOnTerminal } from "./support/Program.ts"
import { names } from "./support/Stock.ts"

describe.concurrent.each(Object.entries(places))("petstore import into %s", (_, folder) => {
  it.scopedLive("keeps ids, assigns missing ones, or assigns all with --new-ids", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const text =
        pet({ name: "none" }) + pet({ id: 7, name: "seven" }) + pet({ id: 3, name: "three" })
      expect(yield* importing(path, text)).toMatchObject({ code: 0 })
      expect(yield* importing(path, text, "--new-ids")).toMatchObject({ code: 0 })
      const { stdout } = yield* run(path, ["export", "-", "--format", "csv"])
      expect(stdout).toMatch(
        /^id,name,categoryId,status.*\n3,three,1,+\n7,seven,1,+\n8,none,1,+\n9,none,1,+\n10,seven,1,+\n11,three,1,+\n$/
      )
    })
  )
})

describe.concurrent("petstore import of a file", () => {
  it.scopedLive("detects the format by extension, and prints the number of pets", () =>
    Effect.gen(function* () {
      const path = yield* folder
      writeFileSync(join(path, "a.ndjson"), pet({ name: "one" }))
      writeFileSync(join(path, "b.JSONL"), pet({ name: "two" }) + pet({ name: "three" }))
      writeFileSync(join(path, "c.csv"), "name,categoryId\nfour,4\n")
      writeFileSync(join(path, "d.txt"), "categoryId,name\n5,five\n")
      const result = { code: 0, stdout: "" }
      const first = yield* run(path, ["import", "a.ndjson"])
      expect(first).toMatchObject({
        ...result,
        stderr: expect.stringMatching(/^imported 1 pet/)
      })
      const second = yield* run(path, ["import", "b.JSONL"])
      expect(second).toMatchObject({ ...result, stderr: "imported 2 pets\n" })
      expect(yield* run(path, ["import", "c.csv"])).toMatchObject(result)
      expect(yield* run(path, ["import", "--format", "csv", "d.txt"])).toMatchObject(result)
      expect(yield* names(path)).toEqual(["one", "two", "three", "four", "five"])
    })
  )

  it.scopedLive("shows its progress on a terminal, and erases it", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const name = "x".repeat(1000)
      writeFileSync(join(path, "a.ndjson"), pet({ name }).repeat(2000))
      const { code, screen } = yield* runOnTerminal(path, ["import", "a.ndjson"])
      expect(code).toBe(0)
      expect(screen).toMatch(/\[█* *\] \d+ % {2}[\d,]+ pets {2}[\d,]+\/s {2}\d+:\d\d left/)
      expect(screen.split("\r\u001b[K").at(-1)).toBe("imported 2000 pets\r\n")
    })
  )

  it.scopedLive("accepts a byte order mark, CRLF, blank lines and a missing final newline", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const ndjson = `\ufeff\r\n${pet({ name: "a" }).trim()}\r\n\n  \n${pet({ name: "b" }).trim()}`
      expect(yield* importing(path, ndjson)).toMatchObject({ code: 0 })
      const csv = `\ufeff"name",categoryId\r\n\r\nc,1\r\n"d\r\ne","1"\r\n\nf,1`
      expect(yield* importing(path, csv, "--format", "csv")).toMatchObject({ code: 0 })
      expect(yield* names(path)).toEqual(["a", "b", "c", "d\r\ne", "f"])
    })
  )

  it.scopedLive("imports an empty file", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const none = { code: 0, stdout: "", stderr: "imported 0 pets\n" }
      expect(yield* importing(path, "")).toMatchObject(none)
      expect(yield* importing(path, "name,categoryId\n", "--format", "csv")).toMatchObject(none)
      const headless = yield* importing(path, "", "--format", "csv")
      expect(headless).toMatchObject({ code: 1 })
      expect(headless.stderr).toMatch(/:1: must be a header with the columns id, name, categoryId/)
    })
  )
})

describe.concurrent("petstore import of a file that cannot be read", () => {
  it.scopedLive.each([
    {
      words: ["none.csv"],
      code: 1,
      complaint: /^none\.csv cannot be read: there is no such file$/m
    },
    { words: ["folder.csv"], code: 1, complaint: /^folder\.csv cannot be read: it is a folder$/m },
    { words: [`${"x".repeat(300)}.csv`], code: 1, complaint: /^x+\.csv cannot be read: ENAMETOO/ },
    {
      words: ["a.gz", "--format", "csv"],
      code: 1,
      complaint: /^nothing was imported: a\.gz is comp/
    },
    {
      words: ["a.xml"],
      code: 2,
      complaint: /^cannot tell the format of a\.xml from its name: add --format/
    },
    { words: ["a.csv", "--format", "xml"], code: 2, complaint: /^--format must be one of ndjson/ },
    {
      words: ["-", "--database", "memory:"],
      code: 2,
      complaint: /^--database memory: is not persistent/
    },
    { words: ["-", "--database", "sqlite:text"], code: 3, complaint: /^--database .* not a data/ }
  ])("reports $words on one line", ({ code, complaint, words }) =>
    Effect.gen(function* () {
      const path = yield* folder
      mkdirSync(join(path, "folder.csv"))
      writeFileSync(join(path, "a.xml"), "")
      writeFileSync(join(path, "a.gz"), gzipSync("name,categoryId\n"))
      writeFileSync(join(path, "text"), "no database, but long enough to be one ".repeat(100))
      const result = yield* run(path, ["import", ...words])
      expect(result.stderr).toMatch(complaint)
      expect(result).toMatchObject({ code, stdout: "" })
      expect(result.stderr.trimEnd().split("\n")).toHaveLength(1)
    })
  )

  it.scopedLive.each([
    { start: [0x50, 0x4b, 0x03, 0x04], problem: "is a spreadsheet or another ZIP file: save it" },
    { start: [0xff, 0xfe], problem: "is in UTF-16: save it in UTF-8" },
    { start: [0xfe, 0xff], problem: "is in UTF-16: save it in UTF-8" },
    { start: [...Buffer.from("SQLite format 3\0")], problem: "is a database: restore it with" }
  ])("says of one that starts with $start that it $problem", ({ problem, start }) =>
    Effect.gen(function* () {
      const path = yield* folder
      writeFileSync(join(path, "pets.csv"), Buffer.from([...start, 0x0a, 0x61]))
      const { code, stderr } = yield* run(path, ["import", "pets.csv"])
      expect(stderr).toMatch(new RegExp(`^nothing was imported: pets\\.csv ${problem}`))
      expect(code).toBe(1)
    })
  )

  it.scopedLive("creates no database if the file does not exist", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* run(path, ["import", "none.csv"])
      expect(existsSync(join(path, "data"))).toBe(false)
    })
  )
})
