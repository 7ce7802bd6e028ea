/** The words of the command line: help, the version, unknown and invalid words, and their order. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { given, help, pages, rejection } from "./support/CommandLine.ts"
import { folder, live } from "./support/Folder.ts"
import { run, runOnTerminal } from "./support/Program.ts"
import { createKey } from "./support/Stock.ts"

const commands = [
  ...["serve", "keys create", "keys list", "keys revoke", "keys rotate", "pets add", "pets list"],
  ...["pets get", "import", "export", "backup", "restore", "copy", "doctor", "config", "openapi"]
]
const groups = ["", "keys", "pets"]

const wordsOf = (command: string) => command.split(" ").filter((word) => word !== "")

describe("petstore --help", () => {
  live("is the same in any position, as -h, and for a group without a command", function* () {
    const path = yield* folder
    const text = help(["keys", "create", "--help"])
    for (const words of [
      ["keys", "--help", "create"],
      ["--help", "keys", "create"],
      ["-h", "keys", "create"],
      ["keys", "create", "--name", "x", "--help"],
      ["keys", "create", "--help", "--name", "x"],
      ["keys", "create", "-h"]
    ]) {
      expect([words, help(words)]).toEqual([words, text])
    }
    for (const words of [
      ["keys", "--help", "create"],
      ["help", "keys", "create"]
    ]) {
      const printed = yield* run(path, words)
      expect(printed).toEqual({ code: 0, signal: null, stdout: text, stderr: "" })
    }
    expect(yield* run(path, ["keys"])).toMatchObject({
      code: 0,
      stdout: help(["keys", "--help"])
    })
    const seen = yield* runOnTerminal(path, ["keys", "create", "--help"])
    expect(seen.code).toBe(0)
    expect(seen.screen).toBe(text.replaceAll("\n", "\r\n"))
    expect(readdirSync(path)).toEqual([])
  })

  it("has a page for every command", () => {
    const names = [...groups, ...commands].map((one) => ["petstore", ...wordsOf(one)].join(" "))
    expect(pages.map(({ command }) => command).sort()).toEqual(names.sort())
    expect(help(["restore", "--help"])).toMatch(/\n\nNotes:\n {2}Stop the servers first/)
    for (const { command, text } of pages) {
      expect(text).toMatch(new RegExp(`^.+\n\nUsage:\n  ${command}[ \n](?:.*\n)*  --help`))
      expect(text).toBe(help([...command.split(" ").slice(1), "--help"]))
    }
  })
})

live("petstore --version prints the version of the package", function* () {
  const manifest: { version: string } = JSON.parse(
    readFileSync(new URL("../package.json", import.meta.url), "utf8")
  )
  const printed = { code: 0, stdout: `${manifest.version}\n`, stderr: "" }
  for (const word of ["--version", "-v", "version"]) {
    expect(yield* run(yield* folder, [word])).toMatchObject(printed)
  }
})

describe("an unknown or invalid word", () => {
  live.each(
    Object.entries({
      kyes: 'unknown command "kyes": did you mean keys?',
      frobnicate: 'unknown command "frobnicate": see petstore --help',
      "keys crate": 'unknown command "crate": did you mean create?',
      "pets --all": 'unknown option "--all": see petstore pets --help',
      "--prot 0": 'unknown option "--prot": did you mean --port?',
      "--versoin": 'unknown option "--versoin": did you mean --version?',
      "keys list --jsn": 'unknown option "--jsn": did you mean --json?',
      "keys list --\u001b[2J": 'unknown option "--\\u001b[2J": see petstore keys list --help',
      "keys list all": 'unexpected argument "all": see petstore keys list --help',
      "keys revoke": "<ID> must be given: see petstore keys revoke --help",
      "keys list --database pets.db":
        "--database must be memory: or sqlite:<file> or postgres://<host>/<database>",
      "doctor postgres://me:hunter2@host/pets":
        'unexpected argument "***": see petstore doctor --help',
      "doctor PGPASSWORD=hunter2": 'unexpected argument "***": see petstore doctor --help',
      "keys list --json=1": "--json takes no value",
      "keys create": "--name must be given: see petstore keys create --help",
      "keys create --name a\tb": "--name must be 1 to 100 visible characters",
      [`keys create --name ${"x".repeat(101)}`]: "--name must be 1 to 100 visible",
      "keys create --name a --name b": "--name is given twice",
      "keys create --name a --scope all": "--scope must be one of pets:read, ",
      "keys create --name a --expires soon": "--expires must be a number with the unit s",
      "serve --port 99999": "--port must be a whole number from 0 to 65535",
      "serve --port": "--port needs a value",
      "serve --database mongodb://x": "--database must be memory: or sqlite:",
      "pets add": "--name and --category must be given: see petstore pets add --help",
      "pets add --name a --category 9223372036854775808": "--category must be a 64-bit",
      "pets get -9223372036854775809": "ID must be a 64-bit integer",
      "pets list --limit 101": '--limit must be a whole number from 1 to 100, not "101"',
      "pets list --status Sold": "--status must be one of available, pending, sold"
    })
  )("in %s", function* ([line, complaint]) {
    const { message, reason } = yield* rejection(line.split(" "))
    expect(message).toContain(complaint)
    expect([reason, message.split("\n").length]).toEqual(["usage", 1])
  })

  live("exits with 2, with the same message in a pipe and on a terminal", function* () {
    const path = yield* folder
    const message = 'unknown command "crate": did you mean create?'
    const { code, screen } = yield* runOnTerminal(path, ["keys", "crate"])
    expect([code, screen]).toEqual([2, `${message}\r\n`])
    const piped = yield* run(path, ["keys", "crate"])
    expect(piped).toEqual({ code: 2, signal: null, stdout: "", stderr: `${message}\n` })
    expect(readdirSync(path)).toEqual([])
  })
})

describe("words in any order", () => {
  live("are options before or after arguments, with = or without", function* () {
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

  const name = (...words: ReadonlyArray<string>) =>
    given(["keys", "create", "--new-database", "--json", ...words], "--name")

  live("give an option any word that follows as its value", function* () {
    for (const word of ["-5", "-h", "--json", "--", "keys"]) {
      expect(name("--name", word)).toEqual([word])
    }
    for (const word of ["a=b", "-h", "--"]) expect(name(`--name=${word}`)).toEqual([word])
    const create = "keys create --new-database --json --name -h"
    const made = yield* run(yield* folder, create.split(" "))
    expect(JSON.parse(made.stdout)).toMatchObject({ name: "-h" })
  })

  live("read everything after -- as arguments", function* () {
    const path = yield* folder
    writeFileSync(join(path, "--json.csv"), "name,categoryId\nRex,1\n")
    const imported = yield* run(path, ["import", "--", "--json.csv"])
    expect(imported).toMatchObject({ code: 0, stderr: expect.stringMatching(/^imported 1 /) })
    for (const name of ["-5.csv", "-5-6.csv"]) {
      expect(given(["import", name], "FILE")).toEqual([name])
    }
    expect(yield* run(path, ["import", "--", "--help"])).toMatchObject({ code: 1, stdout: "" })
  })
})
