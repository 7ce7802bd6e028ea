import { describe, expect } from "@effect/vitest"
import { fields } from "@petstore/domain/Pet"
import { Effect } from "effect"
import { folder } from "./support/Folder.ts"
import { live } from "./support/Live.ts"
import { lines, oddNames } from "./support/Pets.ts"
import { run, runUnread } from "./support/Program.ts"
import { escapes, service, stranger } from "./support/Service.ts"

/** Rows of a table in a pipe that begin with these cells; pets may have further fields. */
const row = (cells: string, times = 1): string =>
  expect.stringMatching(new RegExp(`^(?:${cells}\\t*\\n){${times}}$`))

const titles = expect.stringMatching(/^ID {2}NAME {2}CATEGORY {2}STATUS/)

describe("petstore pets add and get", () => {
  live("adds a pet, prints it as a line, a table or JSON, and says if there is none", function* () {
    const { pets, seen } = yield* service()
    const added = yield* pets("add", "--name", "Rex", "--category", "1", "--status", "sold")
    expect(added).toMatchObject({ code: 0, stdout: row("1\tRex\t1\tsold"), stderr: "" })
    expect(yield* pets("get", "1")).toMatchObject({ code: 0, stdout: row("1\tRex\t1\tsold") })
    const shown = yield* seen("add", "--name", "Ida", "--category", "0")
    expect(shown).toMatchObject({
      code: 0,
      lines: [titles, "2   Ida   0", ""]
    })
    const { code, lines } = yield* seen("get", "1")
    expect(code).toBe(0)
    expect(lines).toEqual([titles, "1   Rex   1         sold", ""])
    const json = yield* pets("get", "1", "--json")
    expect(json.stdout).toBe('{"id":1,"name":"Rex","categoryId":1,"status":"sold"}\n')
    const bare = yield* pets("add", "--name=Tom", "--category=2", "--json")
    expect(bare.stdout).toBe('{"id":3,"name":"Tom","categoryId":2}\n')
    expect((yield* pets("get", "3")).stdout).toEqual(row("3\tTom\t2\t"))
    for (const id of ["7", "-7", "9223372036854775807"]) {
      const { code, stderr, stdout } = yield* pets("get", id)
      expect([code, stdout, stderr]).toEqual([1, "", `there is no pet ${id}\n`])
    }
  })

  live("keeps 64-bit integers exact in both directions", function* () {
    const id = "4611686018427387904"
    const { pets } = yield* service(`{"id":${id},"name":"last","categoryId":9223372036854775807}\n`)
    const json = yield* pets("get", id, "--json")
    expect(json.stdout).toBe(`{"id":${id},"name":"last","categoryId":9223372036854775807}\n`)
    expect((yield* pets("get", id)).stdout).toEqual(row(`${id}\tlast\t9223372036854775807\t`))
    const added = yield* pets("add", "--name", "low", "--category", "-9223372036854775808")
    expect(added.stdout).toEqual(row("4611686018427387905\tlow\t-9223372036854775808\t"))
  })

  live("checks its options before it sends a request", function* () {
    // Nothing listens there: a request would exit with 3.
    const environment = {
      PETSTORE_URL: "http://127.0.0.1:1",
      PETSTORE_API_KEY: "the-key-of-the-tests"
    }
    const added = yield* run(yield* folder, ["pets", "add"], { environment })
    expect(added).toMatchObject({ code: 2, stdout: "" })
  })
})

describe("petstore pets list", () => {
  live("lists one page or all pets, with or without a status", function* () {
    const sold = (id: number) => `{"name":"s${id}","categoryId":${id},"status":"sold"}\n`
    const { pets, seen } = yield* service(
      lines(240) + Array.from({ length: 205 }, (_, id) => sold(id)).join("")
    )
    const count = (stdout: string) => stdout.trimEnd().split("\n").length
    expect(count((yield* pets("list")).stdout)).toBe(20)
    expect(count((yield* pets("list", "--limit", "5")).stdout)).toBe(5)
    const page = yield* seen("list", "--limit", "2")
    expect(page.lines.slice(3)).toEqual(["there are more: --all lists all pets", ""])
    const shown = yield* seen("list", "--limit", "1", "--json")
    expect(shown.lines).toEqual([expect.stringMatching(/^\[\{.*\}\]$/), ""])
    const all = yield* pets("list", "--all")
    expect(count(all.stdout)).toBe(445)
    expect(all.stdout.split("\n")[444]).toMatch(/^445\ts204\t204\tsold\t*$/)
    const json = yield* pets("list", "--status", "sold", "--all", "--json")
    expect(json).toMatchObject({ code: 0, stderr: "" })
    const found: ReadonlyArray<{ id: number }> = JSON.parse(json.stdout)
    expect(found.map(({ id }) => id)).toEqual(Array.from({ length: 205 }, (_, at) => 241 + at))
    // One pet per line, for line-based tools.
    expect(count(json.stdout)).toBe(205)
    for (const words of [["--json"], ["--json", "--all"]]) {
      const none = yield* pets("list", "--status", "pending", ...words)
      expect(none).toMatchObject({ code: 0, stdout: "[]\n" })
    }
    expect(yield* pets("list", "--status", "pending")).toMatchObject({ code: 0, stdout: "" })
    const table = yield* seen("list", "--all", "--limit", "100")
    expect(table.code).toBe(0)
    expect(table.lines[0]).toMatch(/^ID +NAME +CATEGORY +STATUS/)
    expect(table.lines).toHaveLength(445 + 2)
  })

  live("shows a status of a newer service, and ends if its pages lead in a circle", function* () {
    const asked: Array<string | undefined> = []
    const url = yield* stranger((request, response) => {
      const page = asked.push(request.url) - 1
      response.setHeader("Link", `</v1/pets?cursor=${"ab"[page % 2]}>; rel="next"`)
      response.end('[{"id":1,"name":"a","categoryId":1,"status":"adopted"}]')
    })
    const environment = { PETSTORE_URL: url, PETSTORE_API_KEY: "the-key-of-the-tests" }
    const list = (...words: ReadonlyArray<string>) =>
      Effect.flatMap(folder, (path) => run(path, ["pets", "list", ...words], { environment }))
    // The hint that there are more is for people.
    expect(yield* list()).toMatchObject({ code: 0, stdout: row("1\ta\t1\tadopted"), stderr: "" })
    expect(JSON.parse((yield* list("--json")).stdout)).toMatchObject([{ status: "adopted" }])
    expect(yield* list("--all")).toMatchObject({
      code: 1,
      stdout: row("1\ta\t1\tadopted", 2)
    })
    expect(asked.map((url) => url?.match(/limit=(\d+)/)?.[1])).toEqual([
      ...["20", "20"],
      ...["100", "100", "100"]
    ])
  })

  live("escapes control characters in names", function* () {
    const { pets, seen } = yield* service(
      oddNames.map((name) => `${JSON.stringify({ name, categoryId: 1 })}\n`).join("")
    )
    const piped = yield* pets("list")
    expect(piped.stdout).not.toMatch(escapes)
    const rows = piped.stdout.split("\n").slice(0, -1)
    expect(rows).toHaveLength(oddNames.length)
    for (const row of rows) expect(row.split("\t")).toHaveLength(1 + fields.length)
    const { lines } = yield* seen("list")
    expect(lines.join("")).not.toMatch(escapes)
    expect(lines).toHaveLength(oddNames.length + 2)
    const json = yield* pets("list", "--json")
    const found: ReadonlyArray<{ name: string }> = JSON.parse(json.stdout)
    expect(found.map(({ name }) => name)).toEqual(oddNames)
  })

  live("exits silently if the output pipe closes", function* () {
    const { environment, path } = yield* service(lines(3000, "x".repeat(100)))
    for (const words of [["--all"], ["--all", "--json"]]) {
      const { code, stderr } = yield* runUnread(path, ["pets", "list", ...words], environment)
      expect(stderr).toBe("")
      expect(code).toBe(141)
    }
  })
})
