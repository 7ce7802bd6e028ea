import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { expectKept } from "./support/Appearing.ts"
import { folder } from "./support/Folder.ts"
import { interruptedAtCall, killedAtCall } from "./support/Interrupting.ts"
import { lines } from "./support/Pets.ts"
import * as Process from "./support/Process.ts"
import { type Options, run, runOnTerminal, start } from "./support/Program.ts"
import { damage, query, withDatabase } from "./support/Sqlite.ts"
import { addPets, createKey } from "./support/Stock.ts"

const ids = "SELECT id FROM pets ORDER BY id"

/** Adds pets until the scope closes, and counts those that were acknowledged. */
const writing = (url: string) =>
  Effect.gen(function* () {
    let count = 0
    const add = Effect.promise(async () => {
      const answer = await fetch(`${url}/v1/pets`, {
        method: "POST",
        headers: {
          Authorization: "Bearer the-key-of-the-tests",
          "Content-Type": "application/json"
        },
        body: JSON.stringify({ name: "x".repeat(200), categoryId: 1 })
      })
      expect(answer.status).toBe(201)
      await answer.text()
      count++
    })
    yield* Effect.replicateEffect(Effect.forkScoped(Effect.forever(add)), 8)
    return () => count
  })

describe.concurrent("petstore backup", () => {
  it.scopedLive("copies a consistent state, keys included, while a server writes", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* addPets(path, lines(5000, "x".repeat(200)))
      yield* createKey(path, { name: "kept" })
      const server = yield* start(path, { PETSTORE_API_KEYS: "the-key-of-the-tests" })
      const url = yield* Effect.promise(() => server.url())
      const acknowledged = yield* writing(url)
      while (acknowledged() < 50) yield* Effect.sleep("5 millis")
      for (const name of ["first.db", "second.db"]) {
        const before = 5000 + acknowledged()
        const { code, stderr, stdout } = yield* run(path, ["backup", name])
        expect([code, stdout]).toEqual([0, ""])
        expect(stderr).toContain(`to ${name}; petstore restore puts it back`)
        const copied = query(join(path, name), ids)
        expect(copied.length).toBeGreaterThanOrEqual(before)
        expect(copied).toEqual(Array.from({ length: copied.length }, (_, index) => index + 1))
        expect(query(join(path, name), "PRAGMA integrity_check")).toEqual(["ok"])
        expect(query(join(path, name), "SELECT name FROM api_keys")).toContain("kept")
      }
      const after = acknowledged()
      while (acknowledged() < after + 20) yield* Effect.sleep("5 millis")
      const doctor = yield* run(path, ["doctor", "--database", "sqlite:first.db"])
      expect(doctor.code).toBe(0)
    })
  )

  it.scopedLive("leaves the copy and nothing else", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* addPets(path, lines(10))
      expect(yield* run(path, ["backup", "copy.db"])).toMatchObject({ code: 0 })
      expect(readdirSync(path).sort()).toEqual(["copy.db", "data"])
      const exported = yield* run(path, ["export", "-", "--database", "sqlite:copy.db"])
      expect(exported.stdout).toBe((yield* run(path, ["export", "-"])).stdout)
    })
  )

  it.scopedLive("prints where the copy is and how to use it", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* addPets(path, lines(1000, "x".repeat(500)))
      const { code, screen } = yield* runOnTerminal(path, ["backup", "copy.db"])
      expect(code).toBe(0)
      expect(screen).toMatch(/\[█* *\] \d+ %/)
      expect(screen.split("\r\u001b[K").at(-1)).toMatch(
        /^copied sqlite:data\/petstore\.db to copy\.db; petstore restore puts it back\r\n$/
      )
    })
  )
})

describe.concurrent("petstore backup that is interrupted", () => {
  it.scopedLive("leaves no file", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* addPets(path, lines(1000, "x".repeat(2000)))
      // Once it shows its progress.
      const onOutput: Options["onOutput"] = (_, command) => void command.stop("SIGINT")
      const { code, screen } = yield* runOnTerminal(path, ["backup", "copy.db"], { onOutput })
      expect(code).toBe(130)
      expect(screen.split("\r\u001b[K")).toEqual(["", expect.stringMatching(/ %$/), ""])
      expect(readdirSync(path)).toEqual(["data"])
    })
  )
})

describe.concurrent("petstore backup, interrupted at its end", () => {
  it.scopedLive("leaves no file, or one that the next removes, before it has its name", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* addPets(path, lines(3))
      const words = ["backup", "copy.db"]
      const early = yield* interruptedAtCall(path, words, "writeFile")
      expect(early).toMatchObject({ code: 130, stderr: "" })
      expect(readdirSync(path)).toEqual(["data"])
      const killed = yield* Process.run(path, words, { environment: killedAtCall("link") })
      expect(killed).toMatchObject({ signal: "SIGKILL" })
      expect(readdirSync(path)).toHaveLength(2)
      const late = yield* interruptedAtCall(path, words, "link")
      expect(late).toMatchObject({ code: 0, stderr: expect.stringMatching(/^copied /) })
      expect(readdirSync(path)).toEqual(["copy.db", "data"])
    })
  )
})

describe.concurrent("petstore backup that fails", () => {
  it.scopedLive("says why on one line, and changes nothing", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* addPets(path, lines(3))
      writeFileSync(join(path, "mine"), "no database, but long enough to be one ".repeat(100))
      mkdirSync(join(path, "folder"))
      const before = readFileSync(join(path, "mine"), "utf8")
      for (const [words, code, complaint] of [
        [["mine"], 1, /^mine exists already: choose another name$/],
        [["folder"], 1, /^folder exists already: choose another name$/],
        [
          ["copy.db", "--database", "sqlite:none.db"],
          3,
          /^there is no database at sqlite:none\.db/
        ],
        [["copy.db", "--database", "memory:"], 2, /^--database memory: is not persistent/],
        [["-"], 2, /^FILE must be a file: a database cannot be piped$/],
        [[], 2, /^<FILE> must be given: see petstore backup --help$/]
      ] as const) {
        const { code: actual, stderr, stdout } = yield* run(path, ["backup", ...words])
        expect(stderr.trimEnd()).toMatch(complaint)
        expect(stderr.trimEnd().split("\n")).toHaveLength(1)
        expect([words, actual, stdout]).toEqual([words, code, ""])
      }
      expect(readFileSync(join(path, "mine"), "utf8")).toBe(before)
      expect(readdirSync(path).sort()).toEqual(["data", "folder", "mine"])
    })
  )

  it.scopedLive("does not overwrite a file that appears while it runs", () =>
    expectKept("backup", "copy.db")
  )

  it.scopedLive("says that a file is not a database", () =>
    Effect.gen(function* () {
      const path = yield* folder
      writeFileSync(join(path, "text"), "no database, but long enough to be one ".repeat(100))
      const words = ["backup", "copy.db", "--database", "sqlite:text"]
      const { code, stderr } = yield* run(path, words)
      expect(stderr).toMatch(/^--database sqlite:text cannot be used \(file is not a database.*\n$/)
      expect(code).toBe(3)
      expect(readdirSync(path)).toEqual(["text"])
    })
  )

  it.scopedLive("copies no database that restore would refuse", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* addPets(path, lines(3))
      withDatabase(join(path, "data/petstore.db"), (database) =>
        database.exec("CREATE VIEW more AS SELECT id FROM pets")
      )
      const { code, stderr } = yield* run(path, ["backup", "copy.db"])
      expect(stderr).toMatch(/ cannot be used \(petstore did not make its view more\): .*\n$/)
      expect(code).toBe(3)
      expect(readdirSync(path)).toEqual(["data"])
    })
  )

  it.scopedLive("names the target, not the database, if its folder is missing", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* addPets(path, lines(3))
      const { code, stderr } = yield* run(path, ["backup", "none/copy.db"])
      expect(stderr).toMatch(/none\/copy\.db/)
      expect(stderr).not.toContain("set DATABASE_URL")
      expect(code).toBe(1)
    })
  )

  it.scopedLive("does not publish a copy of a damaged database", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* addPets(path, lines(20_000))
      damage(join(path, "data/petstore.db"))
      const { code, stderr } = yield* run(path, ["backup", "copy.db"])
      expect(stderr).toMatch(/^DATABASE_URL sqlite:data\/petstore\.db cannot be used/)
      expect(code).toBe(3)
      expect(readdirSync(path)).toEqual(["data"])
    })
  )
})

describe.concurrent("petstore backup --keep", () => {
  const name = /^petstore-\d{4}-\d\d-\d\dT\d{6}Z\.db$/
  const oldest = "petstore-2026-11-01T000000Z.db"
  const older = "petstore-2026-11-02T000000Z.db"
  const foreign = ["notes.txt", "petstore-2026-11-01.db", "petstore-2026-11-01T000000Z.db.bak"]

  /** A folder with a database, and one for backups that holds two of them and other files. */
  const kept = Effect.gen(function* () {
    const path = yield* folder
    yield* addPets(path, lines(5000))
    mkdirSync(join(path, "backups"))
    for (const file of [oldest, older]) yield* run(path, ["backup", `backups/${file}`])
    for (const file of foreign) writeFileSync(join(path, "backups", file), "mine")
    mkdirSync(join(path, "backups", "petstore-2026-10-01T000000Z.db"))
    const found = () =>
      readdirSync(join(path, "backups"), { withFileTypes: true })
        .filter((entry) => entry.isFile() && !foreign.includes(entry.name))
        .map((entry) => entry.name)
        .sort()
    return { path, found }
  })

  it.scopedLive("names the backup by its time, and deletes the oldest and no other file", () =>
    Effect.gen(function* () {
      const { found, path } = yield* kept
      const words = ["backup", "backups", "--keep", "2", "--verify"]
      const { code, stderr } = yield* run(path, words)
      expect(stderr).toMatch(/ to backups\/petstore-.*; 2 kept, 1 deleted\n$/)
      expect(code).toBe(0)
      expect(found()).toEqual([older, expect.stringMatching(name)])
      const all = readdirSync(join(path, "backups"))
      expect(all).toEqual(expect.arrayContaining(foreign))
      expect(all).toContain("petstore-2026-10-01T000000Z.db")
      const [, newest = ""] = found()
      expect(query(join(path, "backups", newest), ids)).toHaveLength(5000)
    })
  )

  it.scopedLive("deletes nothing and says which backup is damaged", () =>
    Effect.gen(function* () {
      const { found, path } = yield* kept
      damage(join(path, "backups", older))
      const words = ["backup", "backups", "--keep", "2", "--verify"]
      const { code, stderr } = yield* run(path, words)
      expect(stderr).toMatch(
        /^1 backup cannot be restored, so none was deleted: move away backups\/petstore-2026-11-02T000000Z\.db \(/
      )
      expect(code).toBe(1)
      expect(found()).toEqual([oldest, older, expect.stringMatching(name)])
    })
  )

  it.scopedLive("deletes nothing if there is no new backup", () =>
    Effect.gen(function* () {
      const { found, path } = yield* kept
      writeFileSync(join(path, "data", "petstore.db"), "no database, but long enough ".repeat(99))
      const { code } = yield* run(path, ["backup", "backups", "--keep", "1"])
      expect(code).toBe(3)
      expect(found()).toEqual([oldest, older])
    })
  )
})
