/** The command `petstore copy`, from its words to what it prints. */
import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "@effect/vitest"
import * as SharedPostgres from "@petstore/local-postgres/support/SharedPostgres"
import { Effect } from "effect"
import { folder, live } from "./support/Folder.ts"
import { call } from "./support/Observed.ts"
import { type Options, run, runOnTerminal, serve } from "./support/Program.ts"
import { addPets, createKey, lines, oddNames, withDatabase } from "./support/Stock.ts"

const file = "sqlite:data/petstore.db"

/** Odd names, gaps between ids, and integers beyond the range of doubles. */
const catalogue = [
  ...oddNames.map((name, index) => ({ id: index * index + 1, name, status: "sold" })),
  { id: 1000, name: "no status" }
]
  .map((pet) => `${JSON.stringify({ ...pet, categoryId: 7 })}\n`)
  .concat('{"id":9007199254740993,"name":"exact","categoryId":-9223372036854775808}\n')
  .join("")

const exported = (path: string, url: string) =>
  Effect.map(run(path, ["export", "-", "--database", url]), ({ code, stderr, stdout }) => {
    expect({ code, stderr }).toMatchObject({ code: 0 })
    return stdout
  })

const digestOf = (text: string) => createHash("sha256").update(text).digest("hex")

describe("petstore copy", () => {
  live("copies pets and keys to PostgreSQL and back, exactly", function* () {
    const path = yield* folder
    const postgres = yield* SharedPostgres.database
    yield* addPets(path, catalogue)
    // As if the last pets had been deleted: their ids are not assigned again.
    withDatabase(join(path, "data/petstore.db"), (database) =>
      database.exec("UPDATE sqlite_sequence SET seq = seq + 10")
    )
    const good = yield* createKey(path)
    const bad = yield* createKey(path)
    yield* run(path, ["keys", "revoke", bad.id])
    const before = yield* exported(path, file)
    const there = yield* run(path, ["copy", file, postgres])
    expect(there).toMatchObject({ code: 0, stdout: "" })
    const count = catalogue.split("\n").length - 1
    expect(there.stderr).toBe(
      `copied ${count} pets and 2 keys; all ${count} are the same in both (SHA-256 ${digestOf(before)})\n`
    )
    expect(yield* exported(path, postgres)).toBe(before)
    const back = yield* run(path, ["copy", postgres, "sqlite:back.db"])
    expect(back.stderr).toBe(there.stderr)
    expect(yield* exported(path, "sqlite:back.db")).toBe(before)
    const { url } = yield* serve(path, { DATABASE_URL: postgres })
    expect(yield* call(url, "/v1/pets", good)).toBe(200)
    expect(yield* call(url, "/v1/pets", bad)).toBe(401)
    const next = yield* Effect.promise(() =>
      fetch(`${url}/v1/pets`, {
        method: "POST",
        headers: { Authorization: `Bearer ${good.key}`, "Content-Type": "application/json" },
        body: '{"name":"next","categoryId":1}'
      }).then((answer) => answer.headers.get("location"))
    )
    expect(next).toBe("/v1/pets/9007199254741004")
  })

  live("shows its progress on a terminal, and goes on where it was interrupted", function* () {
    const path = yield* folder
    // It stores ten thousand at once.
    const total = 12_500
    yield* addPets(path, lines(total))
    const postgres = yield* SharedPostgres.database
    const words = ["copy", file, postgres]
    // Once it has copied a part.
    const onOutput: Options["onOutput"] = (text, command) => {
      if (text.includes("pets")) void command.stop("SIGINT")
    }
    const first = yield* runOnTerminal(path, words, { onOutput })
    expect(first.code).toBe(130)
    expect(first.screen.split("\r\u001b[K")).toEqual(["", "0 %", "80 %  10,000 pets", ""])
    const second = yield* runOnTerminal(path, words)
    expect(second.code).toBe(0)
    expect(second.screen.split("\r\u001b[K").at(-1)).toMatch(
      /^copied 2500 pets and 0 keys; all 12500 are the same/
    )
    expect(yield* exported(path, postgres)).toBe(yield* exported(path, file))
  })

  live("catches up with what was added and revoked since, also with --quick", function* () {
    const path = yield* folder
    yield* addPets(path, lines(300))
    const key = yield* createKey(path)
    yield* run(path, ["copy", file, "sqlite:to.db"])
    yield* addPets(path, lines(2))
    yield* run(path, ["keys", "revoke", key.id])
    const quick = yield* run(path, ["copy", "--quick", file, "sqlite:to.db"])
    expect(quick.stderr).toMatch(/^copied 2 pets and 1 key; the 2 pets after 300 are the same/)
    yield* addPets(path, lines(1))
    const whole = yield* run(path, ["copy", file, "sqlite:to.db"])
    expect(whole.stderr).toMatch(/^copied 1 pet and 0 keys; all 303 are the same/)
    const keys = yield* run(path, ["keys", "list", "--json", "--database", "sqlite:to.db"])
    expect(JSON.parse(keys.stdout)).toMatchObject([{ id: key.id, state: "revoked" }])
  })

  live("fills gaps, and fails if the target has other pets", function* () {
    const path = yield* folder
    const pet = (id: number, name: string) => `${JSON.stringify({ id, name, categoryId: 1 })}\n`
    const make = (name: string, stdin: string) => addPets(path, stdin, `${name}.db`)
    yield* make("from", pet(1, "a") + pet(2, "b") + pet(3, "c"))
    yield* make("gap", pet(1, "a") + pet(3, "c"))
    yield* make("more", pet(1, "a") + pet(4, "d"))
    yield* make("ahead", pet(1, "a") + pet(2, "b") + pet(3, "c") + pet(4, "d"))
    yield* make("other", pet(1, "a") + pet(5, "e"))
    yield* make("between", pet(1, "a") + pet(2, "x"))
    const copy = (to: string) => run(path, ["copy", "sqlite:from.db", `sqlite:${to}.db`])
    expect((yield* copy("gap")).stderr).toMatch(/^copied 1 pet and 0 keys; all 3 are the same/)
    const more = yield* copy("more")
    expect(more.stderr).toMatch(/^TO has pets after .*, but not pet 2: copy to an empty/)
    expect(more.code).toBe(1)
    const ahead = yield* copy("ahead")
    expect(ahead.stderr).toMatch(/^copied 0 pets .* all 3 are .*; TO has more pets after these\n$/)
    const other = yield* run(path, ["copy", "sqlite:other.db", "sqlite:ahead.db"])
    expect(other.stderr).toMatch(/^only one of the two has pet 2: /)
    const between = yield* copy("between")
    expect(between.stderr).toMatch(/^pet 2 is not the same in both: /)
    expect(yield* exported(path, "sqlite:between.db")).not.toContain('"c"')
  })

  live.each([
    { words: ["sqlite:a.db"], code: 2, complaint: /^<TO> must be given/ },
    { words: ["memory:", "sqlite:a.db"], code: 2, complaint: /^FROM must be .* not memory:/ },
    { words: [file, file], code: 2, complaint: /^FROM and TO are the same database/ },
    { words: [file, "sqlite:to.db"], code: 3, complaint: /^there is no database at sqlite:data/ },
    {
      words: ["postgres://u:hunter2@127.0.0.1:1/x", "sqlite:to.db"],
      code: 3,
      complaint:
        /^FROM postgres:\/\/\*\*\*@127\.0\.0\.1:1\/x cannot be used \(.*password in FROM \(or PGPASSWORD\)\n$/
    }
  ])("reports $words on one line", function* ({ code, complaint, words }) {
    const path = yield* folder
    const result = yield* run(path, ["copy", ...words])
    expect(result.stderr).toMatch(complaint)
    expect(result).toMatchObject({ code, stdout: "" })
    expect(result.stderr.trimEnd().split("\n")).toHaveLength(1)
    expect(existsSync(join(path, "to.db"))).toBe(false)
  })
})
