/** Names, file names and settings may hold terminal commands. A terminal gets none of them, a pipe all. */
import { describe, expect } from "@effect/vitest"
import { Cause, Effect, LogLevel } from "effect"
import * as Terminal from "../src/cli/Terminal.ts"
import * as Log from "../src/observe/Log.ts"
import { folder, live } from "./support/Folder.ts"
import { FakeProcess, type Options, run } from "./support/Program.ts"
import { addPets } from "./support/Stock.ts"

/** Sets the title, clears the screen in 7 and in 8 bits, deletes, writes backwards, and ends the line. */
const name = "\u001b]0;x\u0007\u001b[31m\u009b2J\u007f\u202e\u2066\u2028\r\u{e0001}tom"
const pet = { id: 1, name, categoryId: 1 }
const ndjson = `${JSON.stringify(pet)}\n`
/** As in JSON, so that what is copied from the screen is what is meant. */
const shown =
  "\\u001b]0;x\\u0007\\u001b[31m\\u009b2J\\u007f\\u202e\\u2066\\u2028\\u000d\\udb40\\udc01tom"

/** What terminals act on. */
const commands = /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u
/** How the line of progress is erased. */
const erase = "\r\u001b[K"
const onTerminal: Options = { isTerminal: true }

describe("on a terminal", () => {
  live("pets have no control characters, in any format", function* () {
    const path = yield* folder
    yield* addPets(path, ndjson)
    const csv = `id,name,categoryId,status\n1,${shown},1,\n`
    for (const [format, expected] of [
      ["csv", csv.replace(shown, `"${shown}"`)],
      ["ndjson", expect.stringContaining("\\u009b2J\\u007f\\u202e")]
    ] as const) {
      const words = ["export", "-", "--format", format]
      const { stdout } = yield* run(path, words, onTerminal)
      expect(stdout).toEqual(expected)
      expect(stdout).not.toMatch(commands)
      if (format === "ndjson") expect(JSON.parse(stdout)).toEqual(pet)
      const piped = yield* run(path, words)
      expect(piped.stdout).toContain("\u009b2J\u007f\u202e\u2066")
    }
  })

  live.each([
    { words: ["import", `${name}.csv`] },
    { words: ["backup", `${name}/b.db`] },
    { words: ["doctor"], environment: { DATABASE_URL: `sqlite:${name}.db` } },
    { words: ["config"], environment: { DATABASE_URL: `sqlite:${name}.db` } },
    { words: ["pets", "list"], environment: { PETSTORE_URL: `http://${name}` } },
    { words: [], environment: { DATABASE_URL: name } },
    { words: [], environment: { PORT: name } }
  ])("messages have none: $words $environment", function* (given) {
    const path = yield* folder
    const { environment = {}, words } = given
    const { stderr, stdout } = yield* run(path, words, { ...onTerminal, environment })
    expect(stdout + stderr).not.toBe("")
    expect((stdout + stderr).replaceAll(erase, "")).not.toMatch(commands)
  })

  /** What a log writes. Its terminal has colours. */
  const logged = (
    isTerminal: boolean,
    logFormat: "json" | "pretty",
    use: Effect.Effect<unknown, never, Log.Log>
  ) =>
    Effect.gen(function* () {
      let text = ""
      const onOutput = (_: string, piece: string) => {
        text += piece
      }
      const terminal = new FakeProcess({ isTerminal }, onOutput, () => {})
      Object.assign(terminal.stdout, { hasColors: () => isTerminal })
      yield* use.pipe(
        Effect.provide(Log.layer({ apiKeys: [], logFormat, logLevel: LogLevel.Info })),
        Effect.provideService(Terminal.Terminal, terminal)
      )
      terminal.emit("exit")
      return text
    })

  live.each(["json", "pretty"] as const)(
    "lines of a log in %s have none, but for its colours",
    function* (logFormat) {
      const failing = Effect.logError(name, Cause.fail(new Error(name)))
      const shown = yield* logged(true, logFormat, failing)
      expect(shown).toContain("tom")
      const plain = shown.replace(Terminal.colored("ERROR", "red"), "ERROR")
      expect(plain).not.toMatch(commands)
      expect(plain === shown).toBe(logFormat !== "pretty")
      const piped = yield* logged(false, logFormat, failing)
      expect(piped).toContain("\u009b2J\u007f\u202e")
      // Not even in a pipe: a message could look like other lines.
      if (logFormat !== "pretty") return
      const [line, ...cause] = piped.trimEnd().split("\n")
      expect(line).not.toMatch(commands)
      expect(cause.filter((line) => !line.startsWith("  "))).toEqual([])
    }
  )

  live("the status of a request is coloured", function* () {
    const colours = { 200: "green", 404: "yellow", 503: "red" } as const
    const answering = Effect.map(Log.Log, (log) => {
      for (const status of [200, 404, 503]) {
        const fields = { path: "/v1/pets", status }
        log.write({ timestamp: new Date(), level: "info", message: `GET ${status}`, fields })
      }
    })
    const text = yield* logged(true, "pretty", answering)
    for (const [status, colour] of Object.entries(colours))
      expect(text).toContain(`  GET ${Terminal.colored(status, colour)} /v1/pets`)
  })
})
