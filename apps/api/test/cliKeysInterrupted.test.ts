import { existsSync } from "node:fs"
import { join } from "node:path"
import { expect } from "@effect/vitest"
import Database from "better-sqlite3"
import { Effect } from "effect"
import { folder } from "./support/Folder.ts"
import { interruptedAtMessage } from "./support/Interrupting.ts"
import { live } from "./support/Live.ts"
import { open } from "./support/Program.ts"
import { query } from "./support/Sqlite.ts"
import { createKey } from "./support/Stock.ts"

const keyText = /^pet_[0-9a-v]{10}_[0-9a-v]{39}\n$/
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

const create = (_: string) => Effect.succeed(["keys", "create", "--new-database", "--name", "new"])
const change = (verb: string) => (path: string) =>
  Effect.map(createKey(path), ({ id }) => ["keys", verb, id])
const revoked = "SELECT id FROM api_keys WHERE revoked IS NOT NULL"

// One after the other, so that the messages are its own.
live.each([
  { verb: "create", words: create, before: 0, sql: issued, text: keyText },
  { verb: "rotate", words: change("rotate"), before: 1, sql: issued, text: keyText },
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

const using = ["keys create --name new", "keys list", "import -", "export -", "doctor"]

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
