/** The command `petstore restore`, from its words to what it prints. */
import * as Fs from "node:fs"
import { join } from "node:path"
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { folder, live } from "./support/Folder.ts"
import { ageLeftovers, interruptedAtCall, killedAtCall } from "./support/Interrupting.ts"
import { add, call } from "./support/Observed.ts"
import * as Process from "./support/Process.ts"
import { kill, run, runOnTerminal, serve } from "./support/Program.ts"
import {
  addPets,
  createKey,
  damage,
  lines,
  names,
  query,
  toFirstVersion,
  withDatabase
} from "./support/Stock.ts"

const file = "data/petstore.db"
const countOf = (path: string, name = file) => query(join(path, name), "SELECT count(*) FROM pets")
const environment = { PETSTORE_API_KEYS: "the-key-of-the-tests" }

/** A folder with a database of 5 pets and a backup of it with 3. Both have two keys that are active, and one that is expired. */
const withBackup = Effect.gen(function* () {
  const path = yield* folder
  yield* addPets(path, lines(3))
  const key = yield* createKey(path, { name: "old" })
  yield* createKey(path, { name: "kept" })
  yield* createKey(path, { name: "expired", expires: "1 millis" })
  Fs.copyFileSync(join(path, file), join(path, "backup.db"))
  yield* addPets(path, lines(2, "later"))
  return { path, key }
})

const replace = ["restore", "backup.db", "--replace"]
const kept = (path: string) =>
  Fs.readdirSync(join(path, "data")).filter((name) => name.includes(".before-restore-"))

describe("petstore restore", () => {
  live("replaces a database that no server uses, and keeps the old one", function* () {
    const { key, path } = yield* withBackup
    const newer = yield* createKey(path, { name: "new" })
    const mistake = yield* createKey(path, { name: "created and revoked since" })
    for (const { id } of [key, mistake]) yield* run(path, ["keys", "revoke", id])
    const { program: server, url } = yield* serve(path, environment)
    const asked = yield* run(path, ["restore", "backup.db"])
    expect(asked).toMatchObject({
      code: 1,
      stderr: `${file} exists already: add --replace to replace it; it is kept under another name\n`
    })
    const used = yield* run(path, replace)
    expect(used).toMatchObject({
      code: 3,
      stderr: `${file} is open in another process: stop its servers first\n`
    })
    expect(yield* call(url, "/v1/pets/5")).toBe(200)
    yield* Effect.promise(() => server.stop("SIGTERM"))

    const { code, stderr, stdout } = yield* run(path, replace)
    expect([code, stdout]).toEqual([0, ""])
    expect(stderr.split("\n")).toEqual([
      `restored sqlite:${file} from backup.db: 3 pets and 3 keys`,
      expect.stringMatching(/^the old database is data\/petstore\.db\.before-restore-20\S+$/),
      `these keys work again, although they were revoked or expired after the backup: ${key.id}; revoke them with petstore keys revoke`,
      `these keys no longer work, because they were created after the backup: ${newer.id}`,
      ""
    ])
    expect(yield* names(path)).toEqual(["pet 1", "pet 2", "pet 3"])
    const [old = ""] = kept(path)
    expect(Fs.readdirSync(join(path, "data"))).toEqual(["petstore.db", old])
    expect(countOf(path, join("data", old))).toEqual([5])
    expect(Fs.statSync(join(path, file)).mode & 0o777).toBe(0o600)
    expect(countOf(path, "backup.db")).toEqual([3])
    expect(yield* run(path, ["doctor"])).toMatchObject({ code: 0 })
  })

  live("assigns no id again that the replaced database had assigned", function* () {
    const { path } = yield* withBackup
    expect(yield* run(path, replace)).toMatchObject({ code: 0 })
    expect(yield* run(path, ["import", "-"], { stdin: lines(1, "new") })).toMatchObject({
      code: 0
    })
    const ids = "SELECT id FROM pets ORDER BY id"
    expect(query(join(path, file), ids)).toEqual([1, 2, 3, 6])
    // Nor one of a newer schema, of which this version knows nothing else.
    withDatabase(join(path, file), (database) =>
      database.exec(`
          DELETE FROM pets WHERE id > 3;
          INSERT INTO petstore_migrations (migration_id, name) VALUES (99, 'new');
        `)
    )
    expect(yield* run(path, replace)).toMatchObject({ code: 0 })
    expect(yield* run(path, ["import", "-"], { stdin: lines(1, "new") })).toMatchObject({
      code: 0
    })
    expect(query(join(path, file), ids)).toEqual([1, 2, 3, 7])
    expect(query(join(path, "backup.db"), "SELECT seq FROM sqlite_sequence")).toEqual([3])
  })

  live("says that it cannot read which ids were assigned", function* () {
    const { path } = yield* withBackup
    damage(join(path, file), 0)
    const { code, stderr } = yield* run(path, replace)
    expect(stderr).toContain(
      "\nthe ids of the old database cannot be read: new pets may get ids of pets that were added after the backup\n"
    )
    expect(code).toBe(0)
    // A view in the place of SQLite's own table could run for ever.
    withDatabase(join(path, file), (database) =>
      database.unsafeMode().exec(`
          PRAGMA writable_schema = ON;
          UPDATE sqlite_schema SET type = 'view', rootpage = 0, sql =
            'CREATE VIEW sqlite_sequence (name, seq) AS
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT 1 FROM n) SELECT ''pets'', i FROM n'
          WHERE name = 'sqlite_sequence'
        `)
    )
    const again = yield* run(path, replace)
    expect(again).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("the ids of the old database cannot be read")
    })
  })

  live("creates a missing database, with its folder, whatever spaces are around it", function* () {
    const { path } = yield* withBackup
    const words = ["restore", "backup.db ", "--database", "sqlite:new/folder/pets.db "]
    const { code, screen } = yield* runOnTerminal(path, words)
    expect(code).toBe(0)
    expect(screen).toMatch(/\d+ %/)
    expect(screen.split("\r\u001b[K").at(-1)).toBe(
      "restored sqlite:new/folder/pets.db from backup.db: 3 pets and 3 keys\r\n" +
        "keys revoked since the backup work again: see petstore keys list\r\n"
    )
    expect(countOf(path, "new/folder/pets.db")).toEqual([3])
    expect(Fs.statSync(join(path, "new/folder/pets.db")).mode & 0o777).toBe(0o600)
  })

  live("keeps what a killed server had committed", function* () {
    const { path } = yield* withBackup
    const { program: server, url } = yield* serve(path, environment)
    expect(yield* add(url, "last")).toBe(201)
    yield* kill(path, server)
    expect(Fs.existsSync(join(path, `${file}-wal`))).toBe(true)
    expect(yield* run(path, replace)).toMatchObject({ code: 0 })
    const [old = ""] = kept(path)
    expect(Fs.readdirSync(join(path, "data"))).toEqual(["petstore.db", old])
    expect(countOf(path, join("data", old))).toEqual([6])
    expect(countOf(path)).toEqual([3])
  })

  live("replaces a damaged database, unless a server has it open", function* () {
    const { path } = yield* withBackup
    const { program: server } = yield* Process.serve(path, environment)
    damage(join(path, file), 4096 * 2)
    expect(yield* run(path, replace)).toMatchObject({ code: 3 })
    yield* Effect.promise(() => server.stop("SIGKILL"))
    damage(join(path, file), 0)
    const damaged = Fs.readFileSync(join(path, file))
    const { code, stderr } = yield* run(path, replace)
    expect(stderr).toContain("keys revoked since the backup work again")
    expect(code).toBe(0)
    expect(countOf(path)).toEqual([3])
    const [old = "", log] = kept(path)
    expect(Fs.readFileSync(join(path, "data", old)).equals(damaged)).toBe(true)
    expect(log).toBe(`${old}-wal`)
    expect(Fs.readdirSync(join(path, "data"))).toEqual(["petstore.db", old, log])
  })

  live("accepts an older schema, which a server migrates", function* () {
    const { path } = yield* withBackup
    toFirstVersion(join(path, "backup.db"))
    const { code, stderr } = yield* run(path, replace)
    expect(stderr).toMatch(/^restored .*: it has an older schema, which petstore serve migrates\n/)
    expect(code).toBe(0)
    expect(yield* run(path, ["keys", "list"])).toMatchObject({ code: 0 })
    expect(countOf(path)).toEqual([3])
    damage(join(path, file), 0)
    const again = yield* run(path, replace)
    expect(again.stderr.split("\n").slice(2)).toEqual([
      expect.stringMatching(/^the ids of the old database cannot be read: /),
      "keys revoked since the backup work again: see petstore keys list",
      ""
    ])
  })
})

describe("petstore restore that is interrupted", () => {
  live("before the switch leaves the old database and nothing else", function* () {
    const { path } = yield* withBackup
    const early = yield* interruptedAtCall(path, replace, "writeFile")
    expect(early).toMatchObject({ code: 130, stdout: "", stderr: "" })
    expect(Fs.readdirSync(join(path, "data"))).toEqual(["petstore.db"])
    for (const call of ["link", "rename"] as const) {
      const killed = yield* Process.run(path, replace, { environment: killedAtCall(call) })
      expect(killed).toMatchObject({ signal: "SIGKILL" })
      expect(countOf(path)).toEqual([5])
    }
    ageLeftovers(path)
    expect(yield* run(path, replace)).toMatchObject({ code: 0 })
    expect(Fs.readdirSync(join(path, "data")).filter((name) => name.includes("partial"))).toEqual(
      []
    )
  })

  live("during the switch completes it", function* () {
    const { path } = yield* withBackup
    const late = yield* interruptedAtCall(path, replace, "link")
    expect(late).toMatchObject({ code: 0, stderr: expect.stringMatching(/^restored /) })
    expect(countOf(path)).toEqual([3])
  })
})

live("petstore restore that fails says why on one line, and changes nothing", function* () {
  const { path } = yield* withBackup
  Fs.writeFileSync(join(path, "text"), "no database, but long enough to be one ".repeat(100))
  Fs.writeFileSync(join(path, "empty"), "")
  withDatabase(join(path, "other.db"), (database) => database.exec("CREATE TABLE pets (id)"))
  yield* addPets(path, lines(5000), "damaged.db")
  damage(join(path, "damaged.db"))
  Fs.copyFileSync(join(path, "backup.db"), join(path, "newer.db"))
  withDatabase(join(path, "newer.db"), (database) =>
    database.exec("INSERT INTO petstore_migrations (migration_id, name) VALUES (99, 'new')")
  )
  Fs.mkdirSync(join(path, "left"))
  Fs.writeFileSync(join(path, "left/pets.db-wal"), "changes")
  Fs.symlinkSync("circle.db", join(path, "circle.db"))
  const before = Fs.readdirSync(path)
  for (const [words, code, complaint] of [
    [["none"], 1, /^none cannot be restored: there is no such file$/],
    [["data"], 1, /^data cannot be restored: it is not a file$/],
    [["circle.db"], 1, /^circle\.db cannot be restored: ELOOP: too many symbolic links /],
    [
      ["backup.db", "--replace", "--database", "sqlite:circle.db"],
      3,
      /^--database sqlite:circle\.db cannot be used \(ELOOP: too many symbolic links .*\): check /
    ],
    [["text"], 1, /^text cannot be restored: file is not a database$/],
    [["empty"], 1, /^empty cannot be restored: it is not a Pet Store database$/],
    [["other.db"], 1, /^other\.db cannot be restored: it is not a Pet Store database$/],
    [["damaged.db", "--replace"], 1, /^damaged\.db cannot be restored: /],
    [["newer.db"], 1, /^newer\.db cannot be restored: it has schema version 99 \(new\), /],
    [[file, "--replace"], 1, /^data\/petstore\.db cannot be restored: it is the database itself$/],
    [
      ["backup.db", "--database", "sqlite:left/pets.db"],
      1,
      /^left\/pets\.db-wal is left from another database: move it away first$/
    ],
    [
      ["backup.db", "--database", "postgres://petstore:secret@localhost/pets"],
      2,
      /^backup and restore are for SQLite files; for postgres:\/\/\S+@localhost\/pets use pg_dump /
    ],
    [["backup.db", "--database", "memory:"], 2, /^--database memory: is not persistent/],
    [["-"], 2, /^FILE must be a file: a database cannot be piped$/],
    [[], 2, /^<FILE> must be given: see petstore restore --help$/]
  ] as const) {
    const { code: actual, stderr, stdout } = yield* run(path, ["restore", ...words])
    expect(stderr.trimEnd()).toMatch(complaint)
    expect(stderr.trimEnd().split("\n")).toHaveLength(1)
    expect([words, actual, stdout]).toEqual([words, code, ""])
    expect(stderr).not.toContain("secret")
  }
  expect(countOf(path)).toEqual([5])
  expect(Fs.readdirSync(join(path, "data"))).toEqual(["petstore.db"])
  expect(Fs.readdirSync(join(path, "left"))).toEqual(["pets.db-wal"])
  expect(Fs.readdirSync(path)).toEqual(before)
})
