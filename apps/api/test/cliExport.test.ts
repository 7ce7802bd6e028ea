/** The command `petstore export`, from its words to what it prints. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { fields } from "@petstore/domain/Pet"
import { folder, live } from "./support/Folder.ts"
import { expectKept } from "./support/Interrupting.ts"
import { run, runOnTerminal } from "./support/Program.ts"
import { addPets, lines, oddNames } from "./support/Stock.ts"

const statuses = ["available", "pending", "sold", undefined]
const edges = ["9223372036854775807", "-9223372036854775808", "9007199254740993", "0"]

/** Odd names, gaps between ids, all statuses and none, and integers beyond the range of doubles. */
const catalogue = [
  ...oddNames.map((name, index) => {
    const status = statuses[index % 4]
    const fields = `"name":${JSON.stringify(name)},"categoryId":${edges[index % 4]}`
    return `{"id":${index * index + 1},${fields}${status ? `,"status":"${status}"` : ""}}\n`
  }),
  '{"id":9007199254740993,"name":"exact","categoryId":1}\n',
  '{"id":9223372036854775807,"name":"the last","categoryId":1}\n'
].join("")

describe("petstore export", () => {
  live("exports identical NDJSON after an import, also by way of CSV", function* () {
    const path = yield* folder
    const at = (name: string) => ["--database", `sqlite:${name}.db`]
    yield* addPets(path, catalogue, "one.db")
    const first = yield* run(path, ["export", "1.ndjson", ...at("one")])
    expect(first).toMatchObject({ code: 0, stdout: "" })
    expect(first.stderr).toMatch(/^exported 21 pets/)
    expect(readFileSync(join(path, "1.ndjson"), "utf8")).toBe(catalogue)
    expect(statSync(join(path, "1.ndjson")).mode & 0o777).toBe(0o600)
    expect(yield* run(path, ["import", "1.ndjson", ...at("two")])).toMatchObject({ code: 0 })
    yield* run(path, ["export", "2.csv", ...at("two")])
    expect(yield* run(path, ["import", "2.csv", ...at("three")])).toMatchObject({ code: 0 })
    // Through pipes.
    const piped = yield* run(path, ["export", "-", "--format", "csv", ...at("three")])
    expect(piped.stdout).toBe(readFileSync(join(path, "2.csv"), "utf8"))
    const words = ["import", "-", "--format", "csv", ...at("four")]
    expect(yield* run(path, words, { stdin: piped.stdout })).toMatchObject({ code: 0 })
    const last = yield* run(path, ["export", "-", "--format", "ndjson", ...at("four")])
    expect(last.stdout).toBe(catalogue)
    expect(readdirSync(path).filter((file) => file.includes("partial"))).toEqual([])
  })

  live("exports no pets, one page and many pages", function* () {
    const path = yield* folder
    yield* addPets(path, "")
    const exported = (...words: ReadonlyArray<string>) => run(path, ["export", "-", ...words])
    expect(yield* exported()).toMatchObject({ code: 0, stdout: "" })
    const header = `${["id", ...fields.map(({ name }) => name)].join(",")}\n`
    expect(yield* exported("--format", "csv")).toMatchObject({ code: 0, stdout: header })
    for (const [more, count] of [
      [100, 100],
      [1, 101],
      [399, 500]
    ] as const) {
      // Longer than what is written at once.
      yield* addPets(path, lines(more, "x".repeat(300)))
      const { stderr, stdout } = yield* exported()
      const ids = stdout
        .split("\n")
        .slice(0, -1)
        .map((line): number => JSON.parse(line).id)
      expect(ids).toEqual(Array.from({ length: count }, (_, index) => index + 1))
      expect(stderr).toBe(`exported ${count} pets\n`)
    }
  })

  live("draws no progress bar into output on a terminal", function* () {
    const path = yield* folder
    yield* addPets(path, lines(3000))
    const { code, lines: printed } = yield* runOnTerminal(path, ["export", "-"])
    expect(code).toBe(0)
    const others = printed.filter((line) => !line.startsWith('{"id":'))
    expect(others).toEqual(["exported 3000 pets", ""])
  })
})

describe("petstore export that fails", () => {
  live("does not overwrite files, and says where it cannot write", function* () {
    const path = yield* folder
    yield* addPets(path, lines(3))
    writeFileSync(join(path, "mine.csv"), "mine")
    mkdirSync(join(path, "folder.csv"))
    for (const [words, code, complaint] of [
      [["mine.csv"], 1, /^mine\.csv exists already: choose another name\n$/],
      [["folder.csv"], 1, /^folder\.csv exists already/],
      [
        ["none/a.csv"],
        1,
        /^none\/a\.csv cannot be written: ENOENT: no such file or directory, .*\n$/
      ],
      [
        ["a.xml"],
        2,
        /^cannot tell the format of a\.xml from its name: add --format ndjson or csv\n$/
      ],
      [["-", "--database", "sqlite:none.db"], 3, /^there is no database at sqlite:none\.db: /],
      [["-", "--database", "memory:"], 2, /^--database memory: is not persistent/],
      [["-", "--database", "sqlite:mine.csv"], 3, /^--database sqlite:mine\.csv cannot be used/]
    ] as const) {
      const result = yield* run(path, ["export", ...words])
      expect(result.stderr).toMatch(complaint)
      expect(result.stderr.trimEnd().split("\n")).toHaveLength(1)
      expect([words, result.code, result.stdout]).toEqual([words, code, ""])
    }
    expect(readFileSync(join(path, "mine.csv"), "utf8")).toBe("mine")
    expect(readdirSync(path).sort()).toEqual(["data", "folder.csv", "mine.csv"])
  })

  it.scopedLive("does not overwrite a file that appears while it runs", () =>
    expectKept("export", "a.csv")
  )
})
