/** The command `petstore import`, from its words to what it prints. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "@effect/vitest"
import { folder, live, places } from "./support/Folder.ts"
import { type Options, run, runOnTerminal } from "./support/Program.ts"
import { names } from "./support/Stock.ts"

/** A line with a pet. */
const pet = (fields: object) => `${JSON.stringify({ name: "Rex", categoryId: 1, ...fields })}\n`

/** Imports from standard input. */
const importing = (path: string, stdin: Options["stdin"], ...words: ReadonlyArray<string>) =>
  run(path, ["import", "-", ...words], stdin === undefined ? {} : { stdin })

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
    expect(screen).toMatch(/\d+ % {2}[\d,]+ pets/)
    const parts = screen.split("\r\u001b[K")
    expect(parts[0]).toBe("creating a new database: sqlite:data/petstore.db\r\n")
    expect(parts.at(-1)).toBe("imported 2000 pets\r\n")
  })
})

describe("petstore import of a file that cannot be read", () => {
  live.each([
    [["none.csv"], 1, /^none\.csv cannot be read: ENOENT: no such file/m],
    [["folder.csv"], 1, /^folder\.csv cannot be read: it is a folder$/m],
    [[`${"x".repeat(300)}.csv`], 1, /^x+\.csv cannot be read: ENAMETOO/],
    [["a.xml"], 2, /^cannot tell the format of a\.xml from its name: add --format/],
    [["a.csv", "--format", "xml"], 2, /^--format must be one of ndjson/],
    [["-", "--database", "memory:"], 2, /^--database memory: is not persistent/],
    [["-", "--database", "sqlite:text"], 3, /^--database .* not a data/]
  ] as const)("reports %o on one line", function* ([words, code, complaint]) {
    const path = yield* folder
    mkdirSync(join(path, "folder.csv"))
    writeFileSync(join(path, "a.xml"), "")
    writeFileSync(join(path, "text"), "no database, but long enough to be one ".repeat(100))
    const result = yield* run(path, ["import", ...words])
    expect(result.stderr).toMatch(complaint)
    expect(result).toMatchObject({ code, stdout: "" })
    expect(result.stderr.trimEnd().split("\n")).toHaveLength(1)
  })

  live("creates no database if the file does not exist", function* () {
    const path = yield* folder
    yield* run(path, ["import", "none.csv"])
    expect(existsSync(join(path, "data"))).toBe(false)
  })
})

describe("petstore import of invalid lines", () => {
  live("reports each line and reason in NDJSON, and stores nothing", function* () {
    const path = yield* folder
    const good = pet({ name: "good" })
    const bad: ReadonlyArray<readonly [line: string, reason: string]> = [
      ["not json\n", "is not JSON: a value is missing or invalid"],
      ['{"name":"x"}\n', "categoryId is required"],
      ['{"name":1,"categoryId":"1"}\n', "name must be a string; categoryId must be an integer"],
      [pet({ name: "" }), "name must not be empty"],
      [pet({ name: "\0" }), "name must not contain U+0000 or lone surrogates"],
      [pet({ name: "🐾".repeat(1001) }), "name must have at most 1,000 characters"],
      [pet({ status: "gone" }), "status must be one of available, pending, sold"],
      [pet({ id: 0 }), "id must be between 1 and 9223372036854775807"],
      ['{"name":"a","categoryId":9223372036854775808}\n', "categoryId must be between -922"],
      ['{"id":9223372036854775808,"name":"a","categoryId":1}\n', "id must be between -922"],
      ["[]\n", "the line must be an object"],
      [pet({}).replace("}", "}}"), "is not JSON: unexpected text at character 30"],
      [pet({ name: "\ufffd" }), "is not UTF-8"],
      ['{"name":"a', "is not JSON: it ends too early"]
    ]
    const text = Buffer.concat(
      bad.map(([line, reason]) => {
        const bytes = Buffer.from(good + line)
        return reason === "is not UTF-8"
          ? Buffer.from(bytes.filter((byte) => byte !== 0xbd))
          : bytes
      })
    )
    writeFileSync(join(path, "bad.ndjson"), text)
    const { code, stderr, stdout } = yield* run(path, ["import", "bad.ndjson"])
    expect([code, stdout]).toEqual([1, ""])
    const told = stderr.trimEnd().split("\n")
    expect(told.at(-1)).toMatch(new RegExp(`^nothing was imported: ${bad.length} invalid lines`))
    expect(told.slice(0, -1)).toEqual(
      bad.map(([, reason], index) =>
        expect.stringContaining(`bad.ndjson:${2 * (index + 1)}: ${reason}`)
      )
    )
    expect(yield* names(path)).toEqual([])
    const skipped = yield* run(path, ["import", "bad.ndjson", "--skip-bad-lines"])
    expect(skipped.code).toBe(0)
    expect(skipped.stderr).toMatch(/\nimported 14 pets, skipped 14 invalid lines\n$/)
    expect(yield* names(path)).toEqual(bad.map(() => "good"))
  })

  live("reports each line and reason in CSV, and stores nothing", function* () {
    const path = yield* folder
    const bad: ReadonlyArray<readonly [row: string, reason: string]> = [
      ['2,"a"b,1,', "has text after a closing quote"],
      ['3,a"b,1,', "has a quote inside an unquoted field"],
      ["4,a,1", "has 3 fields, but the header has 4"],
      ["5,a,1,sold,", "has 5 fields, but the header has 4"],
      ["6,,1,", "name is required"],
      [`6,${"x".repeat(1001)},1,`, "name must have at most 1,000 characters"],
      ["x,a,y,z", "id must be an integer; categoryId must be an integer; status must be one of"],
      ["7,a,9223372036854775808,", "categoryId must be between -9223372036854775808 and 922"],
      ["0,a,1,", "id must be between 1 and"],
      ["9,a,1.5,", "categoryId must be an integer"],
      ["8,a,1,Sold", "status must be one of available, pending, sold"]
    ]
    // A record of two lines before each invalid one: lines are counted, not records.
    const rows = bad.map(([row], at) => `${at + 10},"two\nlines",1,sold\n${row}\n`).join("")
    const csv = `id,name,categoryId,status\n${rows}`
    const { code, stderr } = yield* importing(path, csv, "--format", "csv")
    expect(code).toBe(1)
    const told = stderr.trimEnd().split("\n")
    expect(told.at(-1)).toMatch(/^nothing was imported: 11 invalid lines/)
    expect(told.slice(0, -1)).toEqual(
      bad.map(([, reason], at) => expect.stringContaining(`:${3 * at + 4}: ${reason}`))
    )
    expect(yield* names(path)).toEqual([])
    const skipped = yield* importing(path, csv, "--format", "csv", "--skip-bad-lines")
    expect(skipped).toMatchObject({ code: 0 })
    expect(yield* names(path)).toEqual(bad.map(() => "two\nlines"))
  })

  live.each([
    { header: "id,name\n", reason: /:1: must be a header .* missing: categoryId\n/ },
    {
      header: "name;category\n",
      reason: /:1: must be a header .* missing: categoryId; unknown: "ca/
    },
    { header: "\nname,name,categoryId\n", reason: /:2: must be a header .* duplicate: name\n/ },
    { header: 'name,categoryId\nRex,1\n"Tom,2\n', reason: /:3: has a quote that is never closed\n/ }
  ])("stores nothing of $header, even with --skip-bad-lines", function* (given) {
    const path = yield* folder
    const text = `${given.header}1,2\n3,4,5\n`
    const words = ["--format", "csv", "--skip-bad-lines"]
    const { code, stderr } = yield* importing(path, text, ...words)
    expect(stderr).toMatch(given.reason)
    expect([code, stderr.trimEnd().split("\n").length]).toEqual([1, 2])
    expect(yield* names(path)).toEqual([])
  })

  live("reports the first 100 of many", function* () {
    const path = yield* folder
    const text = `${"x\n".repeat(1000)}${pet({})}`
    const some = (yield* importing(path, text)).stderr.split("\n")
    expect(some.slice(0, 100).map((line) => line.split(" ")[0])).toEqual(
      Array.from({ length: 100 }, (_, at) => `stdin:${at + 1}:`)
    )
    expect(some.slice(100)).toEqual([
      "… and 900 more",
      "nothing was imported: 1000 invalid lines; --skip-bad-lines imports the others",
      ""
    ])
    const skipping = yield* importing(path, text, "--skip-bad-lines")
    expect(skipping.stderr.split("\n").slice(100)).toEqual([
      "… and 900 more",
      "imported 1 pet, skipped 1000 invalid lines",
      ""
    ])
    const taken = pet({ id: 1 }).repeat(111)
    expect((yield* importing(path, taken)).stderr.split("\n").slice(100)).toEqual([
      "… and 11 more",
      expect.stringMatching(/^nothing was imported: 111 ids taken/),
      ""
    ])
  })

  live("reports ids that are taken or duplicate, and stores nothing", function* () {
    const path = yield* folder
    yield* importing(path, pet({ id: 1 }) + pet({ id: 2 }))
    const text = pet({ id: 3 }) + pet({ id: 2 }) + pet({ id: 3 }) + pet({}) + pet({ id: 1 })
    for (const words of [[], ["--skip-bad-lines"]]) {
      const { code, stderr } = yield* importing(path, text, ...words)
      expect(code).toBe(1)
      expect(stderr.split("\n")).toEqual([
        expect.stringMatching(/:2: the id 2 is taken$/),
        expect.stringMatching(/:3: the id 3 is taken$/),
        expect.stringMatching(/:5: the id 1 is taken$/),
        expect.stringMatching(/^nothing was imported: 3 ids .*--new-ids/),
        ""
      ])
    }
    expect(yield* names(path)).toHaveLength(2)
  })
})
