import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { given, help, pages, rejection } from "./support/CommandLine.ts"
import { folder } from "./support/Folder.ts"
import { run, runOnTerminal } from "./support/Program.ts"
import { createKey } from "./support/Stock.ts"

const commands = [
  "serve",
  "keys create",
  "keys list",
  "keys revoke",
  "keys rotate",
  "pets add",
  "pets list",
  "pets get",
  "import",
  "export",
  "backup",
  "restore",
  "copy",
  "doctor",
  "config",
  "openapi"
]
const groups = ["", "keys", "pets"]

const wordsOf = (command: string) => command.split(" ").filter((word) => word !== "")

describe.concurrent("petstore --help", () => {
  it.each([...groups, ...commands])("shows usage and examples of %o", (one) => {
    const text = help([...wordsOf(one), "--help"])
    const name = ["petstore", ...wordsOf(one)].join(" ")
    expect(text).toMatch(new RegExp(`^.+\n\nUsage:\n  ${name}[ \n]`))
    expect(text).toMatch(new RegExp(`\n\nExamples:\n(?:.*\n)*.*${name}`))
    expect(text).toContain("--help")
    expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThan(120)
  })

  it.scopedLive("is the same in any position, as -h, and for a group without a command", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const text = help(["keys", "create", "--help"])
      for (const words of [
        ["keys", "--help", "create"],
        ["--help", "keys", "create"],
        ["keys", "create", "--name", "x", "--help"],
        ["keys", "create", "--help", "--name", "x"],
        ["keys", "create", "-h"]
      ]) {
        expect([words, help(words)]).toEqual([words, text])
      }
      const printed = yield* run(path, ["keys", "--help", "create"])
      expect(printed).toEqual({ code: 0, signal: null, stdout: text, stderr: "" })
      expect(yield* run(path, ["keys"])).toMatchObject({
        code: 0,
        stdout: help(["keys", "--help"])
      })
      const seen = yield* runOnTerminal(path, ["keys", "create", "--help"])
      expect(seen.code).toBe(0)
      expect(seen.screen).toBe(text.replaceAll("\n", "\r\n"))
      expect(readdirSync(path)).toEqual([])
    })
  )

  it("has a page for every command", () => {
    const names = [...groups, ...commands].map((one) => ["petstore", ...wordsOf(one)].join(" "))
    expect(pages.map(({ command }) => command).sort()).toEqual(names.sort())
    expect(help(["restore", "--help"])).toMatch(/\n\nNotes:\n {2}Stop the servers first/)
    for (const { command, text } of pages) {
      expect(text).toBe(help([...command.split(" ").slice(1), "--help"]))
    }
  })

  it("lists every command and exit code", () => {
    const text = help(["--help"])
    for (const command of commands)
      expect(text).toMatch(new RegExp(`^  ${wordsOf(command)[0]} `, "m"))
    for (const code of [0, 1, 2, 3, 4, 130])
      expect(text).toMatch(new RegExp(`^  ${code} +\\w`, "m"))
  })
})

describe.concurrent("petstore --version", () => {
  it.scopedLive("prints the version of the package", () =>
    Effect.gen(function* () {
      const manifest: { version: string } = JSON.parse(
        readFileSync(new URL("../package.json", import.meta.url), "utf8")
      )
      expect(yield* run(yield* folder, ["--version"])).toMatchObject({
        code: 0,
        stdout: `${manifest.version}\n`,
        stderr: ""
      })
    })
  )
})

describe.concurrent("an unknown or invalid word", () => {
  it.effect.each([
    { words: ["kyes"], complaint: 'unknown command "kyes": did you mean keys?' },
    { words: ["revoke", "x"], complaint: 'unknown command "revoke": did you mean keys revoke?' },
    { words: ["list"], complaint: 'unknown command "list": did you mean keys list or pets list?' },
    { words: ["frobnicate"], complaint: 'unknown command "frobnicate": see petstore --help' },
    { words: ["keys", "crate"], complaint: 'unknown command "crate": did you mean create?' },
    {
      words: ["keys", "frobnicate"],
      complaint: 'unknown command "frobnicate": see petstore keys --help'
    },
    { words: ["pets", "--all"], complaint: 'unknown option "--all": see petstore pets --help' },
    { words: ["--prot", "0"], complaint: 'unknown option "--prot": did you mean --port?' },
    { words: ["--versoin"], complaint: 'unknown option "--versoin": did you mean --version?' },
    { words: ["keys", "list", "--jsn"], complaint: 'unknown option "--jsn": did you mean --json?' },
    {
      words: ["keys", "list", "-j"],
      complaint: 'unknown option "-j": see petstore keys list --help'
    },
    {
      words: ["keys", "list", "--\u001b[2J"],
      complaint: 'unknown option "--\\u001b[2J": see petstore keys list --help'
    },
    {
      words: ["keys", "list", "all"],
      complaint: 'unknown word "all": see petstore keys list --help'
    },
    { words: ["keys", "revoke"], complaint: "<ID> must be given: see petstore keys revoke --help" },
    {
      words: ["keys", "revoke", "0123456789", "x"],
      complaint: 'unknown word "x": see petstore keys revoke --help'
    },
    {
      words: ["keys", "list", "--database", "pets.db"],
      complaint:
        "--database must be memory:, sqlite:<file> or postgres://<host>/<database>; for a file, write sqlite:pets.db"
    },
    { words: ["import", "a", "b"], complaint: 'unknown word "b": see petstore import --help' },
    {
      words: ["doctor", "postgres://me:hunter2@host/pets"],
      complaint: 'unknown word "***": see petstore doctor --help'
    },
    { words: ["keys", "list", "--json=1"], complaint: "--json takes no value" },
    {
      words: ["keys", "list", "--json", "1"],
      complaint: 'unknown word "1": see petstore keys list --help'
    },
    {
      words: ["keys", "create", "--name="],
      complaint: "--name must be 1 to 100 visible characters"
    },
    { words: ["keys", "create", "--name", "a", "--name", "b"], complaint: "--name is given twice" }
  ])("in $words gets $complaint", ({ complaint, words }) =>
    Effect.gen(function* () {
      const { message, reason } = yield* rejection(words)
      expect(message).toContain(complaint)
      expect(message.split("\n")).toHaveLength(1)
      expect(reason).toBe("usage")
    })
  )

  it.scopedLive("exits with 2, with the same message in a pipe and on a terminal", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const message = 'unknown command "crate": did you mean create?'
      const { code, screen } = yield* runOnTerminal(path, ["keys", "crate"])
      expect([code, screen]).toEqual([2, `${message}\r\n`])
      const piped = yield* run(path, ["keys", "crate"])
      expect(piped).toEqual({ code: 2, signal: null, stdout: "", stderr: `${message}\n` })
      expect(readdirSync(path)).toEqual([])
    })
  )
})

describe.concurrent("words in any order", () => {
  it.scopedLive("are options before or after arguments, with = or without", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const { id } = yield* createKey(path)
      for (const words of [
        ["--json", id],
        [id, "--json"],
        ["--database=sqlite:data/petstore.db", "--json", id],
        [id, "--json", "--json"],
        ["--json", "--", id]
      ]) {
        const line = ["keys", "revoke", ...words]
        expect([words, given(line, "ID"), given(line, "--json")]).toEqual([words, [id], [""]])
      }
      const words = ["--database=sqlite:data/petstore.db", "--json", "--", id]
      const revoked = yield* run(path, ["keys", "revoke", ...words])
      expect(revoked).toMatchObject({ code: 0, stderr: "" })
      expect(JSON.parse(revoked.stdout)).toMatchObject({ id })
    })
  )

  const name = (...words: ReadonlyArray<string>) =>
    given(["keys", "create", "--json", ...words], "--name")

  it.scopedLive("give an option any word that follows as its value", () =>
    Effect.gen(function* () {
      for (const word of ["-5", "-h", "--json", "--", "keys"]) {
        expect(name("--name", word)).toEqual([word])
      }
      for (const word of ["a=b", "-h", "--"]) expect(name(`--name=${word}`)).toEqual([word])
      const made = yield* run(yield* folder, ["keys", "create", "--json", "--name", "-h"])
      expect(JSON.parse(made.stdout)).toMatchObject({ name: "-h" })
    })
  )

  it.scopedLive("read everything after -- as arguments", () =>
    Effect.gen(function* () {
      const path = yield* folder
      writeFileSync(join(path, "--json.csv"), "name,categoryId\nRex,1\n")
      const imported = yield* run(path, ["import", "--", "--json.csv"])
      expect(imported).toMatchObject({ code: 0, stderr: expect.stringMatching(/^imported 1 /) })
      for (const name of ["-5.csv", "-5-6.csv"]) {
        expect(given(["import", name], "FILE")).toEqual([name])
      }
      expect(yield* run(path, ["import", "--", "--help"])).toMatchObject({ code: 1, stdout: "" })
    })
  )
})
