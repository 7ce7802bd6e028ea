import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { rejection } from "./support/CommandLine.ts"
import { folder } from "./support/Folder.ts"
import { runOnTerminal } from "./support/Process.ts"
import { open, run } from "./support/Program.ts"
import { stranger } from "./support/Service.ts"

const serving = /serving (http:\S+) /

const statusOf = (url: string) =>
  Effect.promise(async () => {
    const answer = await fetch(`${url}/v1/pets`, {
      headers: { Authorization: "Bearer the-key-of-the-tests" }
    })
    return answer.status
  })

describe.concurrent("petstore serve", () => {
  it.scopedLive.each([
    { words: ["serve", "--port", "0", "--host", "127.0.0.2", "--database", "sqlite:here/my.db"] },
    { words: ["--port", "0", "--host", "127.0.0.2", "--database", "sqlite:here/my.db"] },
    { words: ["serve", "--database=sqlite:here/my.db", "--host=127.0.0.2", "--port=0"] }
  ])("prefers $words to the variables", ({ words }) =>
    Effect.gen(function* () {
      const path = yield* folder
      const server = yield* open(path, words, {
        environment: {
          PORT: "not a port",
          HOST: "192.0.2.1",
          DATABASE_URL: "memory:",
          PETSTORE_API_KEYS: "the-key-of-the-tests"
        }
      })
      const url = yield* Effect.promise(() => server.url())
      expect(url).toMatch(/^http:\/\/127\.0\.0\.2:[1-9]\d+$/)
      expect(yield* statusOf(url)).toBe(200)
      expect(existsSync(join(path, "here", "my.db"))).toBe(true)
      const ended = yield* Effect.promise(() => server.stop("SIGTERM"))
      expect(ended).toMatchObject({ code: 0, signal: null, stderr: "" })
    })
  )

  it.scopedLive("uses variables for options that are not given", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const server = yield* open(path, ["serve", "--port", "0"], {
        environment: {
          HOST: "127.0.0.3",
          DATABASE_URL: "memory:",
          PETSTORE_API_KEYS: "the-key-of-the-tests"
        }
      })
      const url = yield* Effect.promise(() => server.url())
      expect(url).toMatch(/^http:\/\/127\.0\.0\.3:/)
      expect(readdirSync(path)).toEqual([])
      const ended = yield* Effect.promise(() => server.stop("SIGINT"))
      expect(ended.code).toBe(0)
    })
  )

  it.scopedLive("logs JSON in a pipe, and otherwise as --log-format says", () =>
    Effect.gen(function* () {
      const environment = {
        DATABASE_URL: "memory:",
        PETSTORE_API_KEYS: "the-key-of-the-tests",
        LOG_FORMAT: "pretty"
      }
      const logged = (...words: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          const server = yield* open(yield* folder, ["serve", "--port", "0", ...words], {
            environment
          })
          yield* Effect.promise(() => server.url())
          const { stdout } = yield* Effect.promise(() => server.stop("SIGTERM"))
          expect(stdout).toMatch(
            /stopping once requests in flight are done; two more signals end it at once.*\n.*stopped\S*\n$/
          )
          return stdout.split("\n")[0] ?? ""
        }).pipe(Effect.scoped)
      expect(JSON.parse(yield* logged("--log-format", "json"))).toEqual({
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        level: "info",
        message: expect.stringMatching(/^serving http/)
      })
      expect(yield* logged("--log-format", "logfmt")).toMatch(
        /^timestamp=\S+ level=info message="serving /
      )
      expect(yield* logged()).toMatch(/^\d\d:\d\d:\d\d\.\d{3} INFO {2}serving /)
    })
  )

  it.scopedLive(
    "prints the first key and pretty logs on a terminal, and exits with 0 on Ctrl-C",
    () =>
      Effect.gen(function* () {
        const { code, screen, signal } = yield* runOnTerminal(
          yield* folder,
          ["serve", "--port", "0"],
          { types: { keys: "\u0003", once: serving } }
        )
        expect([code, signal]).toEqual([0, undefined])
        expect(screen).toMatch(/curl -H 'Authorization: Bearer pet_[0-9a-v_]+' http:\S+\/v1\/pets/)
        expect(screen).not.toContain('"level"')
        expect(screen).toContain(" \u001b[32mINFO\u001b[39m  serving")
      })
  )

  it.effect.each([
    { words: ["--port", "99999"], complaint: /^--port must be a whole number from 0 to 65535/ },
    { words: ["--port", ""], complaint: /^--port must not be empty/ },
    { words: ["--port"], complaint: /^--port needs a value/ },
    { words: ["--database", "mongodb://x"], complaint: /^--database must be memory:, sqlite:/ },
    {
      words: ["--log-format", "xml"],
      complaint: /^--log-format must be one of pretty, json, logfmt/
    },
    { words: ["--prot", "0"], complaint: /^unknown option "--prot": did you mean --port\?/ },
    { words: ["now"], complaint: /^unknown word "now": see petstore serve --help/ }
  ])("rejects $words on one line", ({ complaint, words }) =>
    Effect.gen(function* () {
      const { message, reason } = yield* rejection(["serve", ...words])
      expect(message).toMatch(complaint)
      expect([reason, message.split("\n").length]).toEqual(["usage", 1])
    })
  )

  it.scopedLive("reports all invalid variables at once", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const { code, stderr, stdout } = yield* run(path, ["serve", "--port", "x"], {
        environment: { LOG_LEVEL: "loud", DATABASE_URL: "x" }
      })
      expect([code, stdout]).toEqual([2, ""])
      expect(readdirSync(path)).toEqual([])
      expect(stderr).toMatch(/^--port must be .*\nDATABASE_URL must be .*\nLOG_LEVEL must be .*\n$/)
    })
  )

  it.scopedLive("exits with 3 if its port or database is not available", () =>
    Effect.gen(function* () {
      const { port } = new URL(yield* stranger(() => {}))
      const path = yield* folder
      const busy = yield* run(path, ["serve", "--port", port, "--database", "memory:"])
      expect(busy).toMatchObject({ code: 3, stdout: "" })
      expect(busy.stderr).toMatch(
        new RegExp(`^--port ${port} is in use on 127\\.0\\.0\\.1: .* set --port to another port\n$`)
      )
      const words = ["--port", "0", "--database", "sqlite:/proc/none/pets.db"]
      const none = yield* run(path, ["serve", ...words])
      expect(none).toMatchObject({ code: 3, stdout: "" })
      expect(none.stderr).toMatch(/^--database sqlite:\/proc\/none\/pets\.db cannot be used .*\n$/)
    })
  )
})
