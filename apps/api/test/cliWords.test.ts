import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { folder, run, runOnTerminal } from "./support/Program.ts"

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
  "doctor",
  "openapi"
]
const groups = ["", "keys", "pets"]

const wordsOf = (command: string) => command.split(" ").filter((word) => word !== "")

describe.concurrent("petstore --help", () => {
  it.scopedLive.each([...groups, ...commands])("shows usage and examples of %o", (one) =>
    Effect.gen(function* () {
      const path = yield* folder
      const { code, stderr, stdout } = yield* run(path, [...wordsOf(one), "--help"])
      expect([code, stderr]).toEqual([0, ""])
      const name = ["petstore", ...wordsOf(one)].join(" ")
      expect(stdout).toMatch(new RegExp(`^.+\n\nUsage:\n  ${name}[ \n]`))
      expect(stdout).toMatch(new RegExp(`\n\nExamples:\n(?:.*\n)*.*${name}`))
      expect(stdout).toContain("--help")
      expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThan(120)
      expect(readdirSync(path)).toEqual([])
    })
  )

  it.scopedLive("is the same in any position, as -h, and for a group without a command", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const help = yield* run(path, ["keys", "create", "--help"])
      for (const words of [
        ["keys", "--help", "create"],
        ["--help", "keys", "create"],
        ["keys", "create", "--name", "x", "--help"],
        ["keys", "create", "--help", "--name", "x"],
        ["keys", "create", "-h"]
      ]) {
        expect([words, yield* run(path, words)]).toEqual([words, help])
      }
      expect(yield* run(path, ["keys"])).toEqual(yield* run(path, ["keys", "--help"]))
      const seen = yield* runOnTerminal(path, ["keys", "create", "--help"])
      expect(seen.code).toBe(0)
      expect(seen.screen).toBe(help.stdout.replaceAll("\n", "\r\n"))
      expect(readdirSync(path)).toEqual([])
    })
  )

  it.scopedLive("lists every command and exit code", () =>
    Effect.gen(function* () {
      const { stdout } = yield* run(yield* folder, ["--help"])
      for (const command of commands)
        expect(stdout).toMatch(new RegExp(`^  ${wordsOf(command)[0]} `, "m"))
      for (const code of [0, 1, 2, 3, 4, 130])
        expect(stdout).toMatch(new RegExp(`^  ${code} +\\w`, "m"))
    })
  )
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
  it.scopedLive.each([
    { words: ["kyes"], complaint: 'unknown command "kyes": did you mean keys?' },
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
    { words: ["keys", "revoke"], complaint: "<ID> must be given" },
    {
      words: ["keys", "revoke", "0123456789", "x"],
      complaint: 'unknown word "x": see petstore keys revoke --help'
    },
    { words: ["import", "a", "b"], complaint: 'unknown word "b": see petstore import --help' },
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
      const path = yield* folder
      const { code, stderr, stdout } = yield* run(path, words)
      expect(stderr).toContain(complaint)
      expect(stderr.trimEnd().split("\n")).toHaveLength(1)
      expect([code, stdout]).toEqual([2, ""])
      expect(readdirSync(path)).toEqual([])
    })
  )

  it.scopedLive("gets the same message on a terminal", () =>
    Effect.gen(function* () {
      const { code, screen } = yield* runOnTerminal(yield* folder, ["keys", "crate"])
      expect([code, screen]).toEqual([2, 'unknown command "crate": did you mean create?\r\n'])
    })
  )
})

describe.concurrent("words in any order", () => {
  const create = (path: string, ...words: ReadonlyArray<string>) =>
    Effect.map(run(path, ["keys", "create", "--json", ...words]), ({ stderr, stdout }) => {
      expect(stderr).toBe("")
      return JSON.parse(stdout) as { readonly id: string; readonly name: string }
    })

  it.scopedLive("are options before or after arguments, with = or without", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const { id } = yield* create(path, "--name=a")
      for (const words of [
        ["--json", id],
        [id, "--json"],
        ["--database=sqlite:data/petstore.db", "--json", id],
        [id, "--json", "--json"],
        ["--json", "--", id]
      ]) {
        const revoked = yield* run(path, ["keys", "revoke", ...words])
        expect([words, revoked.code, revoked.stderr]).toEqual([words, 0, ""])
        expect(JSON.parse(revoked.stdout)).toMatchObject({ id })
      }
    })
  )

  it.scopedLive("give an option any word that follows as its value", () =>
    Effect.gen(function* () {
      const path = yield* folder
      for (const name of ["-5", "-h", "--json", "--", "keys"]) {
        expect((yield* create(path, "--name", name)).name).toBe(name)
      }
      for (const name of ["a=b", "-h"]) {
        expect((yield* create(path, `--name=${name}`)).name).toBe(name)
      }
    })
  )

  it.scopedLive("accept -- as a value", () =>
    Effect.gen(function* () {
      expect((yield* create(yield* folder, "--name=--")).name).toBe("--")
    })
  )

  it.scopedLive("read everything after -- as arguments", () =>
    Effect.gen(function* () {
      const path = yield* folder
      writeFileSync(join(path, "--json.csv"), "name,categoryId\nRex,1\n")
      const imported = yield* run(path, ["import", "--", "--json.csv"])
      expect(imported).toMatchObject({ code: 0, stderr: expect.stringMatching(/^imported 1 /) })
      for (const name of ["-5.csv", "-5-6.csv"]) {
        writeFileSync(join(path, name), "name,categoryId\nRex,1\n")
        expect(yield* run(path, ["import", name])).toMatchObject({ code: 0 })
      }
      expect(yield* run(path, ["import", "--", "--help"])).toMatchObject({ code: 2, stdout: "" })
    })
  )
})
