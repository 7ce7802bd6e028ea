/** The command `petstore backup`, from its words to what it prints. */
import * as Fs from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { folder, live } from "./support/Folder.ts"
import {
  ageLeftovers,
  expectKept,
  interruptedAtCall,
  killedAtCall,
  replaceCall
} from "./support/Interrupting.ts"
import { add } from "./support/Observed.ts"
import * as Process from "./support/Process.ts"
import { inFolder, run, serve } from "./support/Program.ts"
import { shiftedClock } from "./support/ShiftedClock.ts"
import { addPets, createKey, damage, lines, query, withDatabase } from "./support/Stock.ts"

const ids = "SELECT id FROM pets ORDER BY id"

/** Adds pets until the scope closes, and counts those that were acknowledged. */
const writing = (url: string) =>
  Effect.gen(function* () {
    let count = 0
    const adding = Effect.map(add(url, "x".repeat(200)), (status) => {
      expect(status).toBe(201)
      count++
    })
    yield* Effect.replicateEffect(Effect.forkScoped(Effect.forever(adding)), 8)
    return () => count
  })

live(
  "petstore backup copies a consistent state, keys included, while a server writes",
  function* () {
    const path = yield* folder
    yield* addPets(path, lines(5000, "x".repeat(200)))
    yield* createKey(path, { name: "kept" })
    const { url } = yield* serve(path, { PETSTORE_API_KEYS: "the-key-of-the-tests" })
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
  }
)

live(
  "an interrupted petstore backup leaves nothing that a later one does not remove",
  function* () {
    const path = yield* folder
    yield* addPets(path, lines(3))
    const words = ["backup", "copy.db"]
    const early = yield* interruptedAtCall(path, words, "writeFile")
    expect(early).toMatchObject({ code: 130, stderr: "" })
    expect(Fs.readdirSync(path)).toEqual(["data"])
    const killed = yield* Process.run(path, words, { environment: killedAtCall("link") })
    expect(killed).toMatchObject({ signal: "SIGKILL" })
    expect(Fs.readdirSync(path)).toHaveLength(2)
    ageLeftovers(path)
    const late = yield* interruptedAtCall(path, words, "link")
    expect(late).toMatchObject({ code: 0, stderr: expect.stringMatching(/^copied /) })
    expect(Fs.readdirSync(path)).toEqual(["copy.db", "data"])
  }
)

describe("petstore backup that fails", () => {
  live("says why on one line, and changes nothing", function* () {
    const path = yield* folder
    yield* addPets(path, lines(3))
    Fs.writeFileSync(join(path, "mine"), "no database, but long enough to be one ".repeat(100))
    Fs.mkdirSync(join(path, "folder"))
    const before = Fs.readFileSync(join(path, "mine"), "utf8")
    for (const [words, code, complaint] of [
      [["mine"], 1, /^mine exists already: choose another name$/],
      [["folder"], 1, /^folder exists already: choose another name$/],
      [["none/copy.db"], 1, /^(?!.*set DATABASE_URL).*none\/copy\.db/],
      [
        ["copy.db", "--database", "sqlite:mine"],
        3,
        /^--database sqlite:mine cannot be used \(file is not a database/
      ],
      [["copy.db", "--database", "sqlite:none.db"], 3, /^there is no database at sqlite:none\.db/],
      [["copy.db", "--database", "memory:"], 2, /^--database memory: is not persistent/],
      [["-"], 2, /^FILE must be a file: a database cannot be piped$/],
      [["folder", "--keep", "0"], 2, /^--keep must be a whole number from 1 to 10000, not "0"$/],
      [[], 2, /^<FILE> must be given: see petstore backup --help$/]
    ] as const) {
      const { code: actual, stderr, stdout } = yield* run(path, ["backup", ...words])
      expect(stderr.trimEnd()).toMatch(complaint)
      expect(stderr.trimEnd().split("\n")).toHaveLength(1)
      expect([words, actual, stdout]).toEqual([words, code, ""])
    }
    expect(Fs.readFileSync(join(path, "mine"), "utf8")).toBe(before)
    expect(Fs.readdirSync(path).sort()).toEqual(["data", "folder", "mine"])
  })

  it.scopedLive("does not overwrite a file that appears while it runs", () =>
    expectKept("backup", "copy.db")
  )

  live.each([
    {
      database: "that restore would refuse",
      spoil: (file: string) =>
        withDatabase(file, (database) => database.exec("CREATE VIEW more AS SELECT id FROM pets")),
      complaint: / cannot be used \(petstore did not make its view more\): .*\n$/
    },
    {
      database: "that is damaged",
      spoil: (file: string) => damage(file),
      complaint: /^DATABASE_URL sqlite:data\/petstore\.db cannot be used/
    }
  ])("makes no copy of a database $database", function* ({ complaint, spoil }) {
    const path = yield* folder
    yield* addPets(path, lines(20_000))
    spoil(join(path, "data/petstore.db"))
    const { code, stderr } = yield* run(path, ["backup", "copy.db"])
    expect(stderr).toMatch(complaint)
    expect(code).toBe(3)
    expect(Fs.readdirSync(path)).toEqual(["data"])
  })
})

live("petstore backup --verify checks the copy, also without --keep", function* () {
  const path = yield* folder
  yield* addPets(path, lines(5000))
  yield* inFolder(path)
  // The copy is damaged as soon as it has its name.
  yield* Effect.acquireRelease(
    Effect.sync(() =>
      replaceCall("link", (link) => async (...names) => {
        await link(...names)
        damage(join(path, "copy.db"))
      })
    ),
    (restore) => Effect.sync(restore)
  )
  const { code, stderr } = yield* run(path, ["backup", "copy.db", "--verify"])
  expect(stderr).toMatch(/^1 backup cannot be restored, .*: move away copy\.db \(/)
  expect(code).toBe(1)
})

describe("petstore backup --keep", () => {
  const name = /^petstore-\d{4}-\d\d-\d\dT\d{6}Z\.db$/
  const oldest = "petstore-2026-11-01T000000Z.db"
  const older = "petstore-2026-11-02T000000Z.db"
  const foreign = ["notes.txt", "petstore-2026-11-01.db", "petstore-2026-11-01T000000Z.db.bak"]

  /** A folder with a database, and one for backups that holds two of them and other files. */
  const kept = Effect.gen(function* () {
    const path = yield* folder
    yield* addPets(path, lines(5000))
    Fs.mkdirSync(join(path, "backups"))
    for (const file of [oldest, older]) yield* run(path, ["backup", `backups/${file}`])
    for (const file of foreign) Fs.writeFileSync(join(path, "backups", file), "mine")
    Fs.mkdirSync(join(path, "backups", "petstore-2026-10-01T000000Z.db"))
    const found = () =>
      Fs.readdirSync(join(path, "backups"), { withFileTypes: true })
        .filter((entry) => entry.isFile() && !foreign.includes(entry.name))
        .map((entry) => entry.name)
        .sort()
    return { path, found }
  })

  live("names the backup by its time, and deletes the oldest and no other file", function* () {
    const { found, path } = yield* kept
    // There are fewer than may be kept.
    const clock = shiftedClock(-1000)
    const few = yield* run(path, ["backup", "backups", "--keep", "4"], { clock })
    expect(few.stderr).toMatch(/; 3 kept, 0 deleted\n$/)
    const words = ["backup", "backups", "--keep", "3", "--verify"]
    const { code, stderr } = yield* run(path, words)
    expect(stderr).toMatch(/ to backups\/petstore-.*; 3 kept, 1 deleted\n$/)
    expect(code).toBe(0)
    const some = expect.stringMatching(name)
    expect(found()).toEqual([older, some, some])
    const all = Fs.readdirSync(join(path, "backups"))
    expect(all).toEqual(expect.arrayContaining(foreign))
    expect(all).toContain("petstore-2026-10-01T000000Z.db")
    const [, , newest = ""] = found()
    expect(query(join(path, "backups", newest), ids)).toHaveLength(5000)
  })

  live("neither counts nor deletes backups that are dated later, and names them", function* () {
    const { found, path } = yield* kept
    const later = ["petstore-2998-01-01T000000Z.db", "petstore-2999-01-01T000000Z.db"]
    for (const file of later) yield* run(path, ["backup", `backups/${file}`])
    const { code, stderr } = yield* run(path, ["backup", "backups", "--keep", "1"])
    expect(stderr.split("\n")).toEqual([
      expect.stringMatching(/^copied .* to backups\/petstore-20.*; 1 kept, 2 deleted$/),
      `neither counted nor deleted, because they are dated after this one (check the clock): ${later.map((file) => `backups/${file}`).join(", ")}`,
      ""
    ])
    expect(code).toBe(0)
    expect(found()).toEqual([expect.stringMatching(/^petstore-20/), ...later])
  })

  live("never deletes the database, whatever its name", function* () {
    const { found, path } = yield* kept
    const [live, link] = ["petstore-2026-10-02T000000Z.db", "petstore-2026-10-03T000000Z.db"]
    Fs.renameSync(join(path, "data/petstore.db"), join(path, "backups", live))
    Fs.linkSync(join(path, "backups", live), join(path, "backups", link))
    Fs.symlinkSync(join(path, "backups", live), join(path, "live.db"))
    const words = ["backup", "backups", "--keep", "1", "--database", "sqlite:live.db"]
    expect(yield* run(path, words)).toMatchObject({ code: 0 })
    const note = `${live}.last-backup`
    expect(found()).toEqual([live, note, link, expect.stringMatching(name)])
    expect(query(join(path, "backups", live), ids)).toHaveLength(5000)
  })

  live("keeps the backups of each database that uses the folder", function* () {
    const path = yield* folder
    Fs.mkdirSync(join(path, "backups"))
    for (const [nth, file] of ["a.db", "b.db", "a.db", "b.db", "a.db"].entries()) {
      yield* addPets(path, lines(1, file), file)
      const words = ["backup", "backups", "--keep", "2", "--database", `sqlite:${file}`]
      const clock = shiftedClock(nth * 1000)
      const { code, stderr } = yield* run(path, words, { clock })
      expect(stderr).toMatch(nth < 4 ? /, 0 deleted\n$/ : /; 2 kept, 1 deleted\n$/)
      expect(code).toBe(0)
    }
    const contents = Fs.readdirSync(join(path, "backups"))
      .sort()
      .map((file) => query(join(path, "backups", file), "SELECT name FROM pets"))
    expect(contents).toEqual([
      ["b.db 1"],
      ["a.db 1", "a.db 1"],
      ["b.db 1", "b.db 1"],
      ["a.db 1", "a.db 1", "a.db 1"]
    ])
  })

  live("goes on with the backups of a database after a restore", function* () {
    const { found, path } = yield* kept
    const restored = yield* run(path, ["restore", `backups/${older}`, "--replace"])
    expect(restored).toMatchObject({ code: 0 })
    const { stderr } = yield* run(path, ["backup", "backups", "--keep", "2"])
    expect(stderr).toMatch(/; 2 kept, 1 deleted\n$/)
    expect(found()).toEqual([older, expect.stringMatching(name)])
  })

  live("names what may be of another database or is used, and does not delete it", function* () {
    const { found, path } = yield* kept
    // As earlier versions made them.
    withDatabase(join(path, "backups", oldest), (database) =>
      database.exec("PRAGMA user_version = 0")
    )
    const used = yield* run(path, ["export", "-", "--database", `sqlite:backups/${older}`])
    expect(used).toMatchObject({ code: 0 })
    const { code, stderr } = yield* run(path, ["backup", "backups", "--keep", "1"])
    expect(stderr.split("\n")).toEqual([
      expect.stringMatching(/^copied .*; 1 kept, 0 deleted$/),
      `neither counted nor deleted, because they may be of another database, or in use as one: backups/${oldest}, backups/${older}`,
      ""
    ])
    expect(code).toBe(0)
    expect(found()).toEqual([oldest, older, expect.stringMatching(name)])
  })

  live("deletes nothing and says which backup is damaged", function* () {
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

  live("deletes nothing if there is no new backup", function* () {
    const { found, path } = yield* kept
    Fs.writeFileSync(join(path, "data", "petstore.db"), "no database, but long enough ".repeat(99))
    const { code } = yield* run(path, ["backup", "backups", "--keep", "1"])
    expect(code).toBe(3)
    expect(found()).toEqual([oldest, older])
  })
})
