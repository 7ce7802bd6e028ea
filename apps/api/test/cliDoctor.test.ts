import { readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { examine, file } from "./support/Doctor.ts"
import { folder } from "./support/Folder.ts"
import { lines } from "./support/Pets.ts"
import * as Process from "./support/Process.ts"
import { run, runOnTerminal, start } from "./support/Program.ts"
import { damage, toFirstVersion, withDatabase } from "./support/Sqlite.ts"
import { addPets, createKey } from "./support/Stock.ts"

describe.concurrent("petstore doctor", () => {
  it.scopedLive("reports no problem, as a table and as JSON, and changes nothing", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* addPets(path, lines(3))
      yield* createKey(path)
      const before = readFileSync(join(path, file))
      const seen = yield* runOnTerminal(path, ["doctor"])
      expect(seen.code).toBe(0)
      expect(seen.lines).toEqual([
        expect.stringMatching(/^CHECK +STATE +FOUND$/),
        expect.stringMatching(/^configuration +good +\S/),
        expect.stringMatching(/^database +good +sqlite:data\/petstore\.db .* 3 pets$/),
        expect.stringMatching(/^disk +(?:good|warning) +\d+\.\d GB are free /),
        expect.stringMatching(/^clock +good +it is 20\d\d-/),
        expect.stringMatching(/^keys +good +1 active$/),
        ""
      ])
      const piped = yield* run(path, ["doctor"])
      expect(piped).toMatchObject({ code: 0, stderr: "" })
      expect(piped.stdout.split("\n").map((line) => line.split("\t").slice(0, 2))).toEqual([
        ["configuration", "good"],
        ["database", "good"],
        ["disk", expect.any(String)],
        ["clock", "good"],
        ["keys", "good"],
        [""]
      ])
      const { states } = yield* examine(path)
      expect(states).toEqual(["good", "good", "good", "good"])
      expect(readFileSync(join(path, file)).equals(before)).toBe(true)
    })
  )

  it.scopedLive.each([
    { environment: {}, isColoured: true },
    { environment: { NO_COLOR: "1" }, isColoured: false },
    { environment: { TERM: "dumb" }, isColoured: false }
  ])("has colours on a terminal with $environment: $isColoured", ({ environment, isColoured }) =>
    Effect.gen(function* () {
      const { screen } = yield* Process.runOnTerminal(yield* folder, ["doctor"], { environment })
      expect(screen).toContain("all variables are valid")
      expect(screen.includes("\u001b[32mgood\u001b[39m")).toBe(isColoured)
      expect(screen.includes("\u001b[33mwarning\u001b[39m")).toBe(isColoured)
    })
  )

  it.scopedLive("creates no file beside the database", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* createKey(path)
      yield* examine(path)
      expect(readdirSync(join(path, "data"))).toEqual(["petstore.db"])
    })
  )

  it.scopedLive("checks a database while a server uses it", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const server = yield* start(path, { PETSTORE_PRINT_FIRST_KEY: "true" })
      const url = yield* Effect.promise(() => server.url())
      const { states } = yield* examine(path)
      expect(states).toEqual(["good", "good", "good", "good"])
      const answer = yield* Effect.promise(() => fetch(`${url}/v1/pets`))
      expect(answer.status).toBe(401)
    })
  )

  it.scopedLive("reports every invalid variable", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const { code, of } = yield* examine(path, { PORT: "x", LOG_LEVEL: "loud", DATABASE_URL: "x" })
      expect(code).toBe(1)
      expect(
        of("configuration").map(({ message, state }) => [state, message.split(" ")[0]])
      ).toEqual([
        ["bad", "PORT"],
        ["bad", "DATABASE_URL"],
        ["bad", "LOG_LEVEL"]
      ])
      const seen = yield* runOnTerminal(path, ["doctor"], { environment: { PORT: "x" } })
      expect(seen.code).toBe(1)
      expect(seen.screen).toMatch(/configuration +bad +PORT must be a whole number from 0 to 65535/)
      expect(readdirSync(path)).toEqual([])
    })
  )
})

describe.concurrent("petstore doctor, on the database", () => {
  it.scopedLive("says that it does not exist yet, and does not create it", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const { code, of } = yield* examine(path)
      expect(code).toBe(0)
      expect(of("database")).toMatchObject([{ state: "warning", fix: expect.any(String) }])
      expect(of("keys")).toMatchObject([{ state: "warning", fix: expect.any(String) }])
      expect(readdirSync(path)).toEqual([])
      const { of: inMemory } = yield* examine(path, { DATABASE_URL: "memory:" })
      expect(inMemory("database")).toMatchObject([{ state: "warning" }])
    })
  )

  it.scopedLive("says that its folder cannot be written", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const { code, of } = yield* examine(path, { DATABASE_URL: "sqlite:/proc/petstore/pets.db" })
      expect(code).toBe(1)
      expect(of("database")).toMatchObject([
        {
          state: "bad",
          message: expect.stringMatching(/^sqlite:\S+ cannot be written \(/),
          fix: "make its file and its folder writable for this user"
        }
      ])
    })
  )

  it.scopedLive("says that it is not a file, or that its links lead in a circle", () =>
    Effect.gen(function* () {
      const path = yield* folder
      symlinkSync("circle.db", join(path, "circle.db"))
      for (const [file, problem] of [
        ["/dev/null", "(it is not a file)"],
        ["circle.db", "(ELOOP: too many symbolic links "]
      ] as const) {
        const { code, of } = yield* examine(path, { DATABASE_URL: `sqlite:${file}` })
        expect(code).toBe(1)
        expect(of("database")).toMatchObject([
          { state: "bad", message: expect.stringContaining(problem) }
        ])
      }
    })
  )

  it.scopedLive("says that its schema is older, and does not migrate it", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* addPets(path, lines(3))
      toFirstVersion(join(path, file))
      const before = readFileSync(join(path, file))
      const { code, of } = yield* examine(path)
      expect(code).toBe(0)
      expect(of("database")).toMatchObject([
        { state: "warning", message: expect.stringContaining("older schema") }
      ])
      expect(readFileSync(join(path, file)).equals(before)).toBe(true)
      yield* run(path, ["keys", "create", "--name", "brings it up to date"])
      const { of: later } = yield* examine(path)
      expect(later("database")).toMatchObject([{ state: "good" }])
    })
  )

  it.scopedLive("says that it is damaged or not a database, and how to fix it", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* addPets(path, lines(5000))
      yield* createKey(path)
      damage(join(path, file))
      const before = readFileSync(join(path, file))
      const { code, of } = yield* examine(path)
      expect(code).toBe(1)
      expect(of("database")).toMatchObject([
        { state: "bad", fix: expect.stringContaining("backup") }
      ])
      expect(readFileSync(join(path, file)).equals(before)).toBe(true)
      const text = "no database, but long enough to be one ".repeat(100)
      writeFileSync(join(path, "text"), text)
      const other = yield* examine(path, { DATABASE_URL: "sqlite:text" })
      expect(other.of("database")).toMatchObject([
        { state: "bad", message: expect.stringContaining("file is not a database") }
      ])
      expect(readFileSync(join(path, "text"), "utf8")).toBe(text)
    })
  )

  it.scopedLive("says that a name contains an invalid character", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* addPets(path, lines(3))
      withDatabase(join(path, file), (database) =>
        database.prepare("UPDATE pets SET name = 'a' || char(0) || 'b' WHERE id = 2").run()
      )
      const { code, of } = yield* examine(path)
      expect(code).toBe(1)
      expect(of("database")).toMatchObject([
        { state: "bad", message: expect.stringContaining("the name of pet 2 contains U+0000") }
      ])
    })
  )

  it.scopedLive("says nothing about the keys in a damaged file", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* addPets(path, lines(5000))
      yield* createKey(path)
      damage(join(path, file))
      const { of } = yield* examine(path)
      expect(of("keys").map(({ message }) => message)).not.toContain("there is no key yet")
    })
  )

  it.scopedLive("describes each kind of damage", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* addPets(path, lines(5000))
      damage(join(path, file))
      const { code, stdout } = yield* run(path, ["doctor"])
      expect(code).toBe(1)
      for (const line of stdout.split("\n")) {
        expect(line).not.toContain("\\u{a}")
      }
    })
  )
})
