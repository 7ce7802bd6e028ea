/** The command `petstore keys`, from its words to what it prints. */
import { existsSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "@effect/vitest"
import Database from "better-sqlite3"
import { Effect } from "effect"
import { folder, live } from "./support/Folder.ts"
import { interruptedAtMessage } from "./support/Interrupting.ts"
import * as Process from "./support/Process.ts"
import { open, run, runOnTerminal } from "./support/Program.ts"
import { createKey, query } from "./support/Stock.ts"

const keyText = /^pet_[0-9a-v]{10}_[0-9a-v]{39}$/

type Key = Readonly<Record<"id" | "name" | "state" | "created" | "key", string>> &
  Readonly<Record<"expires" | "retires" | "revoked", string | null>> & {
    readonly scopes: ReadonlyArray<string>
  }

const create = (path: string, ...words: ReadonlyArray<string>) =>
  Effect.map(
    run(path, ["keys", "create", "--new-database", "--name", "ci", "--json", ...words]),
    ({ stdout }): Key => JSON.parse(stdout)
  )
const list = (path: string) =>
  Effect.map(
    run(path, ["keys", "list", "--json"]),
    ({ stdout }): ReadonlyArray<Key> => JSON.parse(stdout)
  )

describe("petstore keys create", () => {
  live.each([
    ["full", "/dev/full"],
    ["closed", "| true"]
  ])(
    "says that the key could not be printed if standard output is %s",
    function* ([, target = ""]) {
      const path = yield* folder
      const output = target.startsWith("|") ? target : `> ${target}`
      const script = `(sleep 0.3; "$0" "$@"; echo "code $?" >&2) ${output}`
      const { stderr } = yield* Process.run(
        path,
        ["keys", "create", "--new-database", "--name", "ci"],
        {
          program: ["sh", "-c", script, process.execPath, Process.main]
        }
      )
      expect(stderr).toMatch(/^the key \S{10} was issued but could not be/)
      expect(stderr).toContain("code 1\n")
      const [id] = /(?<=the key )\S{10}/.exec(stderr) ?? []
      expect((yield* list(path)).map((key) => key.id)).toEqual([id])
    }
  )

  live("prints only the key in a pipe, and stores only its digest", function* () {
    const path = yield* folder
    const made = yield* run(path, ["keys", "create", "--new-database", "--name", "ci"])
    expect(made).toMatchObject({ code: 0, stderr: "" })
    const text = made.stdout.trimEnd()
    expect(text).toMatch(keyText)
    expect(made.stdout).toBe(`${text}\n`)
    const kept = query(join(path, "data", "petstore.db"), "SELECT digest FROM api_keys")
    expect(kept).toHaveLength(1)
    expect(kept[0]).toMatch(/^[0-9a-f]{64}$/)
  })

  live("makes no database unless it is told to", function* () {
    const path = yield* folder
    const made = yield* run(path, ["keys", "create", "--name", "ci"])
    expect(made).toMatchObject({ code: 3, stdout: "" })
    expect(made.stderr).toMatch(/^there is no database at sqlite:\S+: run petstore serve, or set /)
    expect(readdirSync(path)).toEqual([])
  })

  live("uses the database of the file of variables that a service has", function* () {
    const path = yield* folder
    const lines = ["# of the service", "", "DATABASE_URL=sqlite:service.db", 'LOG_LEVEL="warn"']
    writeFileSync(join(path, "petstore.env"), lines.join("\n"))
    const environment = { DATABASE_URL: "sqlite:other.db" }
    const words = ["keys", "create", "--new-database", "--name", "ci"]
    const onFile = ["--env-file", "petstore.env"]
    const made = yield* Process.run(path, [...words, ...onFile], { environment })
    expect(made).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(keyText.source.slice(1, -1))
    })
    const config = yield* Process.run(path, ["config", "--json", ...onFile], { environment })
    expect(JSON.parse(config.stdout)).toContainEqual(
      expect.objectContaining({ name: "LOG_LEVEL", value: "warn" })
    )
    expect(readdirSync(path).filter((name) => name.endsWith(".db"))).toEqual(["service.db"])
    const none = yield* run(path, ["keys", "list", "--env-file", "none.env"])
    expect(none).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^--env-file none.env cannot be read/)
    })
  })

  live("describes the key on a terminal", function* () {
    const path = yield* folder
    const words = ["--name", "ci", "--scope", "pets:read", "--expires", "90d"]
    const { code, screen } = yield* runOnTerminal(path, [
      "keys",
      "create",
      "--new-database",
      ...words
    ])
    expect(code).toBe(0)
    expect(screen).toMatch(
      /^creating a new database: sqlite:\S+\r\n\r\n {2}pet_[0-9a-v]{10}_[0-9a-v]{39}\r\n\r\nKey [0-9a-v]{10} \(ci\)/
    )
    expect(screen).toMatch(/allows pets:read, and expires 2\d{3}-\d\d-\d\d \d\d:\d\d UTC\.\r\n/)
    expect(screen).toContain("shown only once")
  })

  live("prints all facts about the key with --json", function* () {
    const path = yield* folder
    const key = yield* create(path, "--scope", "pets:read", "--expires", "90d")
    expect(key).toMatchObject({ name: "ci", scopes: ["pets:read"], state: "active" })
    expect(key.key).toMatch(keyText)
    expect(key.key.split("_")[1]).toBe(key.id)
    expect(Date.parse(key.expires ?? "") - Date.parse(key.created)).toBe(90 * 86_400_000)
    const words = ["--scope", "pets:write", "--scope", "pets:read", "--expires", "2w"]
    const both = yield* create(path, ...words)
    expect(Date.parse(both.expires ?? "") - Date.parse(both.created)).toBe(14 * 86_400_000)
    expect([...both.scopes].sort()).toEqual(["pets:read", "pets:write"])
    const twice = yield* create(path, "--scope", "pets:read", "--scope", "pets:read")
    expect(twice.scopes).toEqual(["pets:read"])
    const all = yield* create(path)
    const unknown = { expires: null, retires: null, revoked: null, lastUsed: null }
    expect(all).toMatchObject({ scopes: ["pets:read", "pets:write"], ...unknown })
  })
})

live("petstore keys list prints a table or tabs, and never a secret", function* () {
  const path = yield* folder
  const key = yield* create(path, "--scope", "pets:read")
  const seen = yield* runOnTerminal(path, ["keys", "list"])
  expect(seen.code).toBe(0)
  expect(seen.lines[0]).toMatch(
    /^ID {10}NAME {2}SCOPES {5}STATE {3}CREATED \(UTC\) {5}LAST USED \(UTC\) {2}ENDS \(UTC\)$/
  )
  expect(seen.lines[1]).toMatch(new RegExp(`^${key.id}  ci    pets:read  active  .* never$`))
  const piped = yield* run(path, ["keys", "list"])
  expect(piped).toMatchObject({ code: 0, stderr: "" })
  expect(piped.stdout.trimEnd().split("\t").slice(0, 4)).toEqual([
    key.id,
    "ci",
    "pets:read",
    "active"
  ])
  const { key: text, ...facts } = key
  expect(yield* list(path)).toEqual([facts])
  expect(seen.screen + piped.stdout).not.toContain(text.slice(16, -7))
})

live("petstore keys revoke revokes a key, as text and as JSON, and may be repeated", function* () {
  const path = yield* folder
  const [first, second] = [yield* createKey(path), yield* createKey(path)]
  const seen = yield* runOnTerminal(path, ["keys", "revoke", first.id])
  expect(seen).toMatchObject({ code: 0, screen: `revoked ${first.id} (ci)\r\n` })
  const again = yield* run(path, ["keys", "revoke", first.id, "--json"])
  expect(again).toMatchObject({ code: 0, stderr: "" })
  expect(JSON.parse(again.stdout)).toMatchObject({ id: first.id, state: "revoked", retires: null })
  const states = (yield* list(path)).map(({ id, state }) => [id, state])
  expect(states).toEqual([
    [first.id, "revoked"],
    [second.id, "active"]
  ])
  const { stdout } = yield* run(path, ["keys", "list"])
  expect(stdout).toMatch(new RegExp(`^${first.id}\\t.*\\tnever\\t\\S+ \\d\\d:\\d\\d$`, "m"))
})

describe("petstore keys rotate", () => {
  live("says on a terminal when the old key ends, and doctor does not warn about it", function* () {
    const path = yield* folder
    const old = yield* createKey(path)
    const { code, screen } = yield* runOnTerminal(path, ["keys", "rotate", old.id])
    expect(code).toBe(0)
    expect(screen).toMatch(/^\r\n {2}pet_[0-9a-v]{10}_[0-9a-v]{39}\r\n/)
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
    expect(screen).toContain(`The old key ${old.id} works until ${tomorrow}`)
    const doctor = yield* run(path, ["doctor"])
    expect(doctor.stdout).toContain("keys\tgood\t2 active\n")
    const [, id = ""] = /Key (\w+) \(ci\) .* and never expires\./.exec(screen) ?? []
    const json = yield* runOnTerminal(path, ["keys", "rotate", id, "--json"])
    expect(json.screen).toBe(
      `${JSON.stringify(JSON.parse(json.screen), undefined, 2)}\n`.replaceAll("\n", "\r\n")
    )
  })

  live("issues a key like the old one, which works until the overlap ends", function* () {
    const path = yield* folder
    const old = yield* createKey(path, { scopes: ["pets:write"], expires: "30 days" })
    const rotated = yield* run(path, ["keys", "rotate", old.id, "--overlap", "1h", "--json"])
    expect(rotated).toMatchObject({ code: 0, stderr: "" })
    const made: Key = JSON.parse(rotated.stdout)
    expect(made).toMatchObject({ name: "ci", scopes: ["pets:write"], state: "active" })
    expect(Date.parse(made.expires ?? "") - Date.parse(made.created)).toBe(30 * 86_400_000)
    const [before] = yield* list(path)
    expect(before).toMatchObject({ id: old.id, state: "active" })
    expect(Date.parse(before?.retires ?? "") - Date.parse(made.created)).toBe(3_600_000)
    const again = yield* run(path, ["keys", "rotate", old.id])
    expect(again).toMatchObject({ code: 1, stdout: "" })
    expect(again.stderr).toContain("was rotated before: see petstore keys list")
    const bare = yield* run(path, ["keys", "rotate", made.id, "--overlap", "0s"])
    expect(bare.stdout.trimEnd()).toMatch(keyText)
    const states = (yield* list(path)).map(({ state }) => state)
    expect(states).toEqual(["active", "rotated", "active"])
  })
})

live("petstore keys takes a whole key for its id, and repeats it nowhere", function* () {
  const path = yield* folder
  const { id, key } = yield* createKey(path)
  const mistyped = key.replace(/.$/, (last) => (last === "0" ? "1" : "0"))
  const rotated = yield* run(path, ["keys", "rotate", key, "--overlap", "1h"])
  expect(rotated).toMatchObject({ code: 0, stderr: "" })
  const revoked = yield* run(path, ["keys", "revoke", key])
  expect(revoked).toMatchObject({ code: 0, stdout: `revoked ${id} (ci)\n`, stderr: "" })
  const bad = yield* run(path, ["keys", "revoke", mistyped])
  expect(bad).toMatchObject({ code: 2, stderr: "ID is mistyped: checksum mismatch\n" })
  const surplus = yield* run(path, ["keys", "revoke", id, key])
  expect(surplus).toMatchObject({ code: 2 })
  for (const { stderr, stdout } of [rotated, revoked, bad, surplus]) {
    expect(stdout + stderr).not.toContain(key.slice(15, -1))
  }
})

live.each(["revoke", "rotate"])(
  "petstore keys %s reports an unknown or invalid id",
  function* (verb) {
    const path = yield* folder
    yield* createKey(path)
    const unknown = yield* run(path, ["keys", verb, "0123456789"])
    expect(unknown).toMatchObject({
      code: 1,
      stdout: "",
      stderr: "there is no key 0123456789: see petstore keys list\n"
    })
    const bad = yield* run(path, ["keys", verb, "\u001b[31m"])
    expect(bad).toMatchObject({ code: 2, stdout: "" })
    expect(bad.stderr).toMatch(/^ID must be ten digits or letters from a to v/)
    expect(bad.stderr).not.toContain("\u001b")
  }
)

const printed = /^pet_[0-9a-v]{10}_[0-9a-v]{39}\n$/
const issued = "SELECT id FROM api_keys ORDER BY created"

/** Interrupts the command at a message of its threads. Returns its result and the keys in the database. */
const interruptedAt = (
  message: number,
  words: (path: string) => Effect.Effect<Array<string>>,
  sql: string
) =>
  Effect.gen(function* () {
    const path = yield* folder
    const given = yield* words(path)
    const result = yield* interruptedAtMessage(path, given, message)
    const file = join(path, "data/petstore.db")
    // It may have been interrupted before it made the database.
    const ids = existsSync(file) ? query(file, sql) : []
    return { ...result, ids }
  }).pipe(Effect.scoped)

const creation = (_: string) =>
  Effect.succeed(["keys", "create", "--new-database", "--name", "new"])
const change = (verb: string) => (path: string) =>
  Effect.map(createKey(path), ({ id }) => ["keys", verb, id])
const revoked = "SELECT id FROM api_keys WHERE revoked IS NOT NULL"

// One after the other, so that the messages are its own.
live.each([
  { verb: "create", words: creation, before: 0, sql: issued, text: printed },
  { verb: "rotate", words: change("rotate"), before: 1, sql: issued, text: printed },
  {
    verb: "revoke",
    words: change("revoke"),
    before: 0,
    sql: revoked,
    text: /^revoked \w{10} \(ci\)\n$/
  }
])("an interrupted petstore keys $verb changes no key, or prints it", function* (given) {
  const { before, sql, text, words } = given
  const outcomes: Array<string> = []
  for (let message = 1; outcomes.at(-1) !== "not interrupted"; message++) {
    const { code, ids, isInterrupted, stderr, stdout } = yield* interruptedAt(message, words, sql)
    const isDone = ids.length > before
    if (isDone) {
      expect(stdout).toMatch(text)
      expect(stdout).toContain(ids.at(-1))
    } else expect(stdout).toBe("")
    expect(code).toBe(isDone ? 0 : 130)
    expect(stderr).toMatch(/^(?:creating a new database: \S+\n)?$/)
    outcomes.push(isInterrupted ? (isDone ? "shown" : "none") : "not interrupted")
  }
  expect(outcomes).toContain("shown")
})

const using = ["keys create --name new", "import -", "doctor"]

live.each(using)("petstore %s ends at Ctrl-C while its database opens", function* (command) {
  const path = yield* folder
  yield* createKey(path)
  const other = new Database(join(path, "data/petstore.db"))
  other.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
  const program = yield* open(path, command.split(" "))
  program.process.stdin.end("")
  // It waits for the lock by now, for some seconds.
  yield* Effect.sleep("700 millis")
  const { code, stdout } = yield* Effect.promise(() => program.stop("SIGINT"))
  other.close()
  expect([code, stdout]).toEqual([130, ""])
})
