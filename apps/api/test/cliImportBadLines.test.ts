import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "@effect/vitest"
import { folder } from "./support/Folder.ts"
import { importing, pet } from "./support/Importing.ts"
import { live } from "./support/Live.ts"
import { run } from "./support/Program.ts"
import { names } from "./support/Stock.ts"

describe("petstore import of invalid lines", () => {
  live("reports each line and reason in NDJSON, and stores nothing", function* () {
    const path = yield* folder
    const good = pet({ name: "good" })
    const bad: ReadonlyArray<readonly [line: string, reason: string]> = [
      ["not json\n", "is not JSON: a value is missing or invalid"],
      ['{"name":"x"}\n', "categoryId is required"],
      ["{}\n", "name is required; categoryId is required"],
      ['{"name":1,"categoryId":"1"}\n', "name must be a string; categoryId must be an integer"],
      [pet({ name: "" }), "name must not be empty"],
      [pet({ name: "\0" }), "name must not contain U+0000 or lone surrogates"],
      [pet({ name: "🐾".repeat(1001) }), "name must have at most 1,000 characters"],
      [pet({ name: "\ud800" }), "name must not contain U+0000 or lone surrogates"],
      [pet({ status: "gone" }), "status must be one of available, pending, sold"],
      [pet({ status: null }), "status must be one of available, pending, sold"],
      [pet({ id: 0 }), "id must be between 1 and 9223372036854775807"],
      [pet({ id: "1" }), "id must be an integer"],
      [pet({ categoryId: 1.5 }), "categoryId must be an integer"],
      ['{"name":"a","categoryId":9223372036854775808}\n', "categoryId must be between -922"],
      ['{"id":9223372036854775808,"name":"a","categoryId":1}\n', "id must be between -922"],
      ["[]\n", "the line must be an object"],
      ["null\n", "the line must be an object"],
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
    expect(skipped.stderr).toMatch(/\nimported 20 pets, skipped 20 invalid lines\n$/)
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
    { header: "\nname,name,categoryId\n", reason: /:2: has duplicate columns: name\n/ },
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

  live("reports the first 20 of many, or all with --all-errors", function* () {
    const path = yield* folder
    const text = `${"x\n".repeat(1000)}${pet({})}`
    const some = (yield* importing(path, text)).stderr.split("\n")
    expect(some.slice(0, 20).map((line) => line.split(" ")[0])).toEqual(
      Array.from({ length: 20 }, (_, at) => `stdin:${at + 1}:`)
    )
    expect(some.slice(20)).toEqual([
      "… and 980 more; --all-errors shows them",
      "nothing was imported: 1000 invalid lines; --skip-bad-lines imports the others",
      ""
    ])
    const skipping = yield* importing(path, text, "--skip-bad-lines")
    expect(skipping.stderr.split("\n").slice(20)).toEqual([
      "… and 980 more; --all-errors shows them",
      "imported 1 pet, skipped 1000 invalid lines",
      ""
    ])
    const all = (yield* importing(path, text, "--all-errors")).stderr.split("\n")
    expect(all[999]).toMatch(/^stdin:1000: is not JSON/)
    expect(all.slice(1000)).toEqual([
      "nothing was imported: 1000 invalid lines; --skip-bad-lines imports the others",
      ""
    ])
    const taken = pet({ id: 1 }).repeat(31)
    expect((yield* importing(path, taken)).stderr.split("\n").slice(20)).toEqual([
      "… and 11 more; --all-errors shows 31 of them",
      expect.stringMatching(/^nothing was imported: 31 ids taken/),
      ""
    ])
  })

  live("goes on after a note, and stops at another format", function* () {
    const path = yield* folder
    const csv = "name;categoryId;colour\nRex;1;red\n"
    const piped = yield* importing(path, csv)
    expect(piped).toMatchObject({
      code: 1,
      stderr: "stdin:1: looks like CSV: add --format csv\nnothing was imported: 1 invalid line\n"
    })
    const read = yield* importing(path, csv, "--format", "csv")
    expect(read).toMatchObject({
      code: 0,
      stderr:
        'stdin:1: the fields are separated by semicolons; ignoring unknown columns: "colour"\nimported 1 pet\n'
    })
    expect(yield* names(path)).toEqual(["Rex"])
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
