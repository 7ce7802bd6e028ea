/** The command `petstore pets`, from its words to what it prints. */
import { describe, expect } from "@effect/vitest"
import { fields } from "@petstore/domain/Pet"
import { NetworkFailure, TimedOut } from "@petstore/http-client"
import { ConfigProvider, Effect } from "effect"
import * as PetsClient from "../src/commands/PetsClient.ts"
import { folder, live } from "./support/Folder.ts"
import { run, runUnread } from "./support/Program.ts"
import { escapes, secureStranger, service, stranger } from "./support/Service.ts"
import { createKey, lines, oddNames } from "./support/Stock.ts"

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

describe("petstore pets, if the service fails", () => {
  const get = (url: string, words: ReadonlyArray<string> = [], key = "the-key-of-the-tests") =>
    Effect.flatMap(folder, (path) =>
      run(path, ["pets", "get", "1", ...words], {
        environment: { PETSTORE_URL: url, PETSTORE_API_KEY: key }
      })
    )

  live("says that it cannot reach the service, and exits with 3", function* () {
    const expected = {
      code: 3,
      stdout: "",
      stderr:
        "cannot reach http://127.0.0.1:1/v1 (bad port): run petstore serve, or set PETSTORE_URL to a running service\n"
    }
    expect(yield* get("http://127.0.0.1:1")).toMatchObject(expected)
    const flag = yield* get("http://pets.invalid", ["--url", "http://127.0.0.1:1/v1/"])
    expect(flag).toMatchObject({
      ...expected,
      stderr: expected.stderr.replace("PETSTORE_URL", "--url")
    })
    const hangsUp = yield* stranger((request) => request.socket.destroy())
    expect(yield* get(hangsUp)).toMatchObject({ code: 3 })
  })

  live("says why TLS failed, and exits with 3", function* () {
    // It has no certificate.
    const { code, stderr } = yield* get(yield* secureStranger({}))
    expect(code).toBe(3)
    expect(stderr).toMatch(/^cannot reach https:\S+ \([^)]*alert handshake failure\): run /)
  })

  live("says that the key is rejected or lacks a scope, and exits with 4", function* () {
    const { environment, path, pets } = yield* service()
    const other = { ...environment, PETSTORE_API_KEY: "other" }
    const refused = yield* run(path, ["pets", "get", "1"], { environment: other })
    expect(refused).toMatchObject({ code: 4, stdout: "" })
    expect(refused.stderr).toMatch(/^the API key is not valid: set PETSTORE_API_KEY to a key/)
    expect(yield* pets("get", "1")).toMatchObject({ code: 1 })
    const made = yield* createKey(path, { scopes: ["pets:read"] })
    const reader = { ...environment, PETSTORE_API_KEY: made.key }
    expect(yield* run(path, ["pets", "list"], { environment: reader })).toMatchObject({ code: 0 })
    const add = ["pets", "add", "--name", "a", "--category", "1"]
    expect(yield* run(path, add, { environment: reader })).toMatchObject({ code: 4, stdout: "" })
  })

  live("does not send a mistyped or missing key", function* () {
    let requests = 0
    const url = yield* stranger((_, response) => {
      requests++
      response.end("{}")
    })
    const { key } = yield* createKey(yield* folder)
    const mistyped = key.replace(/.$/, (last) => (last === "0" ? "1" : "0"))
    for (const [text, complaint] of [
      [mistyped, "PETSTORE_API_KEY is mistyped: checksum mismatch\n"],
      [`${key} `, "PETSTORE_API_KEY must be an API key without spaces\n"],
      ["", "PETSTORE_API_KEY must be set to an API key; petstore keys create issues one\n"]
    ] as const) {
      expect(yield* get(url, [], text)).toMatchObject({ code: 2, stdout: "", stderr: complaint })
    }
    expect(requests).toBe(0)
    expect(yield* get("pets.example.org", [], key)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^PETSTORE_URL must be a URL such as https:/)
    })
  })

  live("recognises a server that is not a Pet Store", function* () {
    const url = yield* stranger((_, response) => response.end("<h1>hello</h1>"))
    expect(yield* get(url)).toMatchObject({
      code: 1,
      stdout: "",
      stderr: `${url}/v1 is not a Pet Store: set PETSTORE_URL to a running service\n`
    })
  })

  live.each([503, 429])("exits with 3 after a %i, and escapes its message", function* (status) {
    const body = JSON.stringify({ message: "later\u001b[2J" })
    const url = yield* stranger((_, response) => response.writeHead(status).end(body))
    const { code, stderr } = yield* get(url)
    expect(code).toBe(3)
    expect(stderr).toMatch(/^later/)
    expect(stderr).not.toMatch(escapes)
  })
})

describe("a service that did not answer", () => {
  const failure = (message: string, more: object) =>
    new NetworkFailure("no", { cause: Object.assign(new Error(message), more) })

  live.each([
    [new TimedOut("no answer within 30000 ms"), "no answer within 30000 ms"],
    // Node tries both addresses of a name, and lists the errors without a message.
    [failure("", { code: "ECONNREFUSED" }), "ECONNREFUSED"],
    [failure("C0:error:0A", { reason: "wrong version number" }), "wrong version number"],
    [failure("a\u001b[2J", { code: "CERT_HAS_EXPIRED" }), "a\\u001b[2J"]
  ] as const)("says why, and exits with 3: %s", function* ([error, reason]) {
    const environment = { PETSTORE_URL: "https://pets.test", PETSTORE_API_KEY: "a-key" }
    const failed = yield* PetsClient.call(() => Effect.fail(error)).pipe(
      Effect.withConfigProvider(ConfigProvider.fromJson(environment)),
      Effect.flip
    )
    const fix = "run petstore serve, or set PETSTORE_URL to a running service"
    const message = `cannot reach https://pets.test/v1 (${reason}): ${fix}`
    expect(failed).toMatchObject({ reason: "unavailable", message })
  })
})
