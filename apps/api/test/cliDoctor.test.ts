/** The command `petstore doctor`, from its words to what it prints. */
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { examine, file } from "./support/Doctor.ts"
import { folder, live } from "./support/Folder.ts"
import { replaceCall } from "./support/Interrupting.ts"
import { inFolder, run, runOnTerminal, serve } from "./support/Program.ts"
import { shiftedClock } from "./support/ShiftedClock.ts"
import { addPets, createKey, damage, lines, toFirstVersion, withDatabase } from "./support/Stock.ts"

describe("petstore doctor", () => {
  live("reports no problem, as a table and as JSON, and changes nothing", function* () {
    const path = yield* folder
    yield* addPets(path, lines(3))
    yield* createKey(path)
    const before = readFileSync(join(path, file))
    const seen = yield* runOnTerminal(path, ["doctor"])
    expect(seen.code).toBe(0)
    expect(seen.lines).toEqual([
      expect.stringMatching(/^CHECK +STATE +FOUND$/),
      expect.stringMatching(/^configuration +good +\S/),
      expect.stringMatching(/^service +good +\S/),
      expect.stringMatching(
        /^database +good +sqlite:data\/petstore\.db .* 3 pets, in SQLite 3\.\d+/
      ),
      expect.stringMatching(/^disk +(?:good|warning) +\d+ [MG]B are free /),
      expect.stringMatching(/^clock +good +it is 20\d\d-/),
      expect.stringMatching(/^keys +good +1 active$/),
      ""
    ])
    const piped = yield* run(path, ["doctor"])
    expect(piped).toMatchObject({ code: 0, stderr: "" })
    expect(piped.stdout.split("\n").map((line) => line.split("\t").slice(0, 2))).toEqual([
      ["configuration", "good"],
      ["service", "good"],
      ["database", "good"],
      ["disk", expect.any(String)],
      ["clock", "good"],
      ["keys", "good"],
      [""]
    ])
    const { states } = yield* examine(path)
    expect(states).toEqual(["good", "good", "good", "good"])
    expect(readFileSync(join(path, file)).equals(before)).toBe(true)
    expect(readdirSync(join(path, "data"))).toEqual(["petstore.db"])
  })

  live("checks a database while a server uses it", function* () {
    const path = yield* folder
    const { url } = yield* serve(path, { PETSTORE_PRINT_FIRST_KEY: "true" })
    const { states } = yield* examine(path)
    expect(states).toEqual(["good", "good", "good", "good"])
    const answer = yield* Effect.promise(() => fetch(`${url}/v1/pets`))
    expect(answer.status).toBe(401)
    const { of } = yield* examine(yield* folder, { PORT: new URL(url).port })
    const message = expect.stringContaining("the service uses another database")
    expect(of("database")).toMatchObject([{ state: "bad", message }])
  })

  live("reports every invalid variable", function* () {
    const path = yield* folder
    const { code, of } = yield* examine(path, { PORT: "x", LOG_LEVEL: "loud", DATABASE_URL: "x" })
    expect(code).toBe(1)
    expect(of("configuration").map(({ message, state }) => [state, message.split(" ")[0]])).toEqual(
      [
        ["bad", "PORT"],
        ["bad", "DATABASE_URL"],
        ["bad", "LOG_LEVEL"]
      ]
    )
    expect(of("clock")).toMatchObject([{ state: "good" }])
    const seen = yield* runOnTerminal(path, ["doctor"], { environment: { PORT: "x" } })
    expect(seen.code).toBe(1)
    expect(seen.screen).toMatch(/configuration +bad +PORT must be a whole number from 0 to 65535/)
    expect(readdirSync(path)).toEqual([])
  })
})

describe("petstore doctor, on the database", () => {
  live("says that it does not exist yet, and does not create it", function* () {
    const path = yield* folder
    const { code, of } = yield* examine(path)
    expect(code).toBe(0)
    expect(of("database")).toMatchObject([{ state: "warning", fix: expect.any(String) }])
    expect(of("keys")).toMatchObject([{ state: "warning", fix: expect.any(String) }])
    expect(readdirSync(path)).toEqual([])
    const { of: readOnly } = yield* examine(path, { PETSTORE_READ_ONLY: "true" })
    expect(readOnly("configuration")).toMatchObject([
      { state: "good" },
      { state: "warning", message: expect.stringContaining("PETSTORE_READ_ONLY") }
    ])
    const { of: inMemory } = yield* examine(path, { DATABASE_URL: "memory:" })
    expect(inMemory("database")).toMatchObject([{ state: "warning" }])
  })

  live("says that its folder cannot be written, or that it is not a file", function* () {
    const path = yield* folder
    symlinkSync("circle.db", join(path, "circle.db"))
    const unwritable = { fix: "make its file and its folder writable for this user" }
    for (const [file, problem, more] of [
      ["/proc/petstore/pets.db", " cannot be written (", unwritable],
      ["/dev/null", "(it is not a file)", {}],
      ["circle.db", "(ELOOP: too many symbolic links ", {}]
    ] as const) {
      const { code, of } = yield* examine(path, { DATABASE_URL: `sqlite:${file}` })
      expect(code).toBe(1)
      const message = expect.stringContaining(problem)
      expect(of("database")).toMatchObject([{ state: "bad", message, ...more }])
    }
  })

  live("says that its schema is older, and does not migrate it", function* () {
    const path = yield* folder
    yield* addPets(path, lines(3))
    toFirstVersion(join(path, file))
    const before = readFileSync(join(path, file))
    const { code, of } = yield* examine(path)
    expect(code).toBe(0)
    expect(of("database")).toMatchObject([
      { state: "warning", message: expect.stringContaining("older schema") }
    ])
    expect(of("keys")).toMatchObject([{ state: "warning", message: "there is no key yet" }])
    expect(readFileSync(join(path, file)).equals(before)).toBe(true)
    yield* run(path, ["keys", "create", "--name", "brings it up to date"])
    const { of: later } = yield* examine(path)
    expect(later("database")).toMatchObject([{ state: "good" }])
  })

  live("names pets whose names are longer than those that are added now", function* () {
    const path = yield* folder
    yield* addPets(path, lines(1) + lines(1, "x".repeat(1001)))
    const { code, of } = yield* examine(path)
    expect(code).toBe(0)
    const message = expect.stringMatching(
      / holds 2 pets, in SQLite \d\S+; names longer than 1,000 characters: 2$/
    )
    expect(of("database")).toMatchObject([{ state: "warning", message }])
  })

  live("says that it is damaged or not a database, and how to fix it", function* () {
    const path = yield* folder
    yield* addPets(path, lines(5000))
    yield* createKey(path)
    damage(join(path, file))
    const before = readFileSync(join(path, file))
    const { code, of } = yield* examine(path)
    expect(code).toBe(1)
    expect(of("database")).toMatchObject([{ state: "bad", fix: expect.stringContaining("backup") }])
    // Its keys may be damaged, too.
    expect(of("keys")).toEqual([])
    expect((yield* run(path, ["doctor"])).stdout).not.toContain("\\u000a")
    expect(readFileSync(join(path, file)).equals(before)).toBe(true)
    const text = "no database, but long enough to be one ".repeat(100)
    writeFileSync(join(path, "text"), text)
    const other = yield* examine(path, { DATABASE_URL: "sqlite:text" })
    expect(other.of("database")).toMatchObject([
      { state: "bad", message: expect.stringContaining("file is not a database") }
    ])
    expect(readFileSync(join(path, "text"), "utf8")).toBe(text)
  })
})

live.each([
  { free: 999, state: "warning", more: { fix: "free up space, or enlarge the file system" } },
  { free: 1000, state: "good", more: {} }
])("petstore doctor says of a disk with $free MB that it is $state", function* (given) {
  const { free, more, state } = given
  const path = yield* folder
  yield* addPets(path, "")
  yield* inFolder(path)
  const statfs = async () => ({ bavail: free, bsize: 1e6 })
  yield* Effect.acquireRelease(
    Effect.sync(() => replaceCall("statfs", () => statfs)),
    (restore) => Effect.sync(restore)
  )
  expect((yield* examine(path)).of("disk")).toMatchObject([{ state, ...more }])
})

describe("petstore doctor, on clock and keys", () => {
  /** A folder whose database has a key, changed by a statement. */
  const keyed = (sql?: string, ...values: ReadonlyArray<number>) =>
    Effect.gen(function* () {
      const path = yield* folder
      const key = yield* createKey(path)
      if (sql) withDatabase(join(path, file), (database) => database.prepare(sql).run(...values))
      return { ...key, path }
    })

  live("warns about a key that was created in the future", function* () {
    const later = Date.now() + 3_600_000
    const { id, path } = yield* keyed("UPDATE api_keys SET created = ?", later)
    const { code, of } = yield* examine(path)
    expect(code).toBe(0)
    expect(of("clock")).toMatchObject([
      {
        state: "warning",
        message: expect.stringContaining(id),
        fix: expect.stringContaining("check this machine's clock")
      }
    ])
    yield* run(path, ["keys", "rotate", id, "--overlap", "0s"])
    expect((yield* examine(path)).of("clock")).toMatchObject([{ state: "good" }])
  })

  live("does not judge the clock by when a key was last used, or by seconds", function* () {
    const [soon, years] = [Date.now() + 50_000, Date.now() + 10 * 31_536_000_000]
    const { path } = yield* keyed("UPDATE api_keys SET created = ?, last_used = ?", soon, years)
    const { states } = yield* examine(path)
    expect(states).toEqual(["good", "good", "good", "good"])
  })

  live.each([
    {
      year: 2001,
      state: "bad",
      code: 1,
      problem: "before this release",
      fix: "set this machine's"
    },
    {
      year: 2030,
      state: "warning",
      code: 0,
      problem: "years after this",
      fix: "check this machine's"
    }
  ])("says of a clock in $year that its state is $state", function* (given) {
    const { path } = yield* keyed()
    const clock = shiftedClock(Date.UTC(given.year, 0, 1) - Date.now())
    const { code, of } = yield* examine(path, {}, { clock })
    expect(code).toBe(given.code)
    const message = expect.stringMatching(`^it is ${given.year}-.* ${given.problem}`)
    const fix = expect.stringContaining(`${given.fix} clock`)
    expect(of("clock")).toMatchObject([{ state: given.state, message, fix }])
  })

  live("counts a key once, even if it is listed twice", function* () {
    const { key, path } = yield* keyed()
    const { of } = yield* examine(path, {
      PETSTORE_API_KEYS: `${key},number-one-of-one,${key},number-one-of-one`
    })
    expect(of("keys")).toMatchObject([{ state: "good", message: "2 active" }])
  })

  live("says that no key is active, and counts those of the environment", function* () {
    const { id, key, path } = yield* keyed()
    yield* run(path, ["keys", "revoke", id])
    for (const environment of [{}, { PETSTORE_API_KEYS: key }]) {
      const { code, of } = yield* examine(path, environment)
      expect(code).toBe(1)
      const fix = expect.stringContaining("petstore keys create")
      expect(of("keys")).toMatchObject([{ state: "bad", message: "no key is active", fix }])
    }
    const fixed = yield* examine(path, {
      PETSTORE_API_KEYS: "number-one-of-two,number-two-of-two"
    })
    expect(fixed.of("keys")).toMatchObject([{ state: "good", message: "2 active" }])
  })

  live("names the keys that end within a week", function* () {
    const path = yield* folder
    const ending = yield* createKey(path, { expires: "167 hours" })
    const lasting = yield* createKey(path, { expires: "169 hours" })
    const { code, of } = yield* examine(path)
    expect(code).toBe(0)
    const [keys] = of("keys")
    expect(keys).toMatchObject({ state: "warning", fix: expect.stringContaining("rotate") })
    expect(keys?.message).toContain(ending.id)
    expect(keys?.message).not.toContain(lasting.id)
  })
})
