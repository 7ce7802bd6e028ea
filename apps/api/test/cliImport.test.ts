import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { folder, places } from "./support/Folder.ts"
import { importing, pet } from "./support/Importing.ts"
import { live } from "./support/Live.ts"
import { open, run, runOnTerminal } from "./support/Program.ts"
import { names } from "./support/Stock.ts"

describe.concurrent.each(Object.entries(places))("petstore import into %s", (_, folder) => {
  live("keeps ids, assigns missing ones, or assigns all with --new-ids", function* () {
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

  live("says that no id is left, and what to do", function* () {
    const path = yield* folder
    const last = '{"id":9223372036854775807,"name":"last","categoryId":1}\n'
    const { code, stderr } = yield* importing(path, last + pet({ name: "none" }))
    expect(stderr).toMatch(
      /cannot be used \(no id is left\): export its pets, and import them with --new-ids into a new database\n$/
    )
    expect(code).toBe(3)
  })
})

describe("petstore import of a file", () => {
  live("detects the format by extension, and prints the number of pets", function* () {
    const path = yield* folder
    writeFileSync(join(path, "a.ndjson"), pet({ name: "one" }))
    writeFileSync(join(path, "b.JSONL"), pet({ name: "two" }) + pet({ name: "three" }))
    writeFileSync(join(path, "c.CSV"), "name,categoryId\nfour,4\n")
    writeFileSync(join(path, "d.txt"), "categoryId,name\n5,five\n")
    const result = { code: 0, stdout: "" }
    const first = yield* run(path, ["import", "a.ndjson"])
    expect(first).toMatchObject({
      ...result,
      stderr: expect.stringMatching(/^imported 1 pet/)
    })
    const second = yield* run(path, ["import", "b.JSONL"])
    expect(second).toMatchObject({ ...result, stderr: "imported 2 pets\n" })
    expect(yield* run(path, ["import", "c.CSV"])).toMatchObject(result)
    expect(yield* run(path, ["import", "--format", "csv", "d.txt"])).toMatchObject(result)
    expect(yield* names(path)).toEqual(["one", "two", "three", "four", "five"])
  })

  live("shows its progress on a terminal, and erases it", function* () {
    const path = yield* folder
    const name = "x".repeat(1000)
    writeFileSync(join(path, "a.ndjson"), pet({ name }).repeat(2000))
    const { code, screen } = yield* runOnTerminal(path, ["import", "a.ndjson"])
    expect(code).toBe(0)
    expect(screen).toMatch(/\[█* *\] \d+ % {2}[\d,]+ pets {2}[\d,]+\/s {2}\d+:\d\d left/)
    const parts = screen.split("\r\u001b[K")
    expect(parts[0]).toBe("creating a new database: sqlite:data/petstore.db\r\n")
    expect(parts.at(-1)).toBe("imported 2000 pets\r\n")
  })

  live("says on a terminal how to end what is typed", function* () {
    const command = yield* open(yield* folder, ["import", "-"], { isTerminal: true })
    command.process.stdin.end(pet({}))
    expect(yield* Effect.promise(() => command.ended)).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^reading from the terminal; end with Ctrl-D\n/m)
    })
  })

  live("accepts a byte order mark, CRLF, blank lines and a missing final newline", function* () {
    const path = yield* folder
    const ndjson = `\ufeff\r\n${pet({ name: "a" }).trim()}\r\n\n  \n${pet({ name: "b" }).trim()}`
    expect(yield* importing(path, ndjson)).toMatchObject({ code: 0 })
    const csv = `\ufeff"name",categoryId\r\n\r\nc,1\r\n"d\r\ne","1"\r\n\nf,1`
    expect(yield* importing(path, csv, "--format", "csv")).toMatchObject({ code: 0 })
    expect(yield* names(path)).toEqual(["a", "b", "c", "d\r\ne", "f"])
  })

  live("imports an empty file", function* () {
    const path = yield* folder
    const none = { code: 0, stdout: "", stderr: "imported 0 pets\n" }
    expect(yield* importing(path, "")).toMatchObject(none)
    for (const header of ["name,categoryId\n", "name,categoryId"]) {
      expect(yield* importing(path, header, "--format", "csv")).toMatchObject(none)
    }
    const headless = yield* importing(path, "", "--format", "csv")
    expect(headless).toMatchObject({ code: 1 })
    expect(headless.stderr).toMatch(/:1: must be a header with the columns id, name, categoryId/)
  })
})

describe("petstore import of a file that cannot be read", () => {
  live.each([
    [["none.csv"], 1, /^none\.csv cannot be read: there is no such file$/m],
    [["folder.csv"], 1, /^folder\.csv cannot be read: it is a folder$/m],
    [[`${"x".repeat(300)}.csv`], 1, /^x+\.csv cannot be read: ENAMETOO/],
    [["a.gz", "--format", "csv"], 1, /^nothing was imported: a\.gz is comp/],
    [["a.xml"], 2, /^cannot tell the format of a\.xml from its name: add --format/],
    [["a.csv", "--format", "xml"], 2, /^--format must be one of ndjson/],
    [["-", "--database", "memory:"], 2, /^--database memory: is not persistent/],
    [["-", "--database", "sqlite:text"], 3, /^--database .* not a data/]
  ] as const)("reports %o on one line", function* ([words, code, complaint]) {
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

  live.each([
    { start: [0x50, 0x4b, 0x03, 0x04], problem: "is a spreadsheet or another ZIP file: save it" },
    { start: [0xff, 0xfe], problem: "is in UTF-16: save it in UTF-8" },
    { start: [0xfe, 0xff], problem: "is in UTF-16: save it in UTF-8" },
    { start: [...Buffer.from("SQLite format 3\0")], problem: "is a database: restore it with" }
  ])("says of one that starts with $start that it $problem", function* ({ problem, start }) {
    const path = yield* folder
    writeFileSync(join(path, "pets.csv"), Buffer.from([...start, 0x0a, 0x61]))
    const { code, stderr } = yield* run(path, ["import", "pets.csv"])
    expect(stderr).toMatch(new RegExp(`^nothing was imported: pets\\.csv ${problem}`))
    expect(code).toBe(1)
  })

  live("creates no database if the file does not exist", function* () {
    const path = yield* folder
    yield* run(path, ["import", "none.csv"])
    expect(existsSync(join(path, "data"))).toBe(false)
  })
})
