/** A database that cannot be used: every command says why on one line, and how to fix it. */
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { type Environment, folder, folderOnPostgres, live } from "./support/Folder.ts"
import * as Process from "./support/Process.ts"
import { run, start } from "./support/Program.ts"
import { addPets, createKey, damage, lines, withDatabase } from "./support/Stock.ts"

const file = "data/petstore.db"

/** A folder with a database that holds pets and a key. */
const filled = Effect.gen(function* () {
  const path = yield* folder
  yield* addPets(path, lines(5000))
  yield* createKey(path)
  return path
})

/** The results of the server and the commands, started one by one. */
const endings = (path: string) =>
  Effect.gen(function* () {
    const server = yield* start(path)
    const served = yield* Effect.promise(() => server.ended)
    const commands = [
      ["keys", "list"],
      ["keys", "create", "--name", "x"],
      ["import", "-"]
    ]
    const results = yield* Effect.forEach(commands, (words) =>
      run(path, words, { stdin: lines(1) })
    )
    return [served, ...results]
  })

live("a newer schema is rejected by every command, and reported by doctor", function* () {
  const path = yield* filled
  withDatabase(join(path, file), (database) =>
    database.exec(`
          ALTER TABLE pets RENAME TO animals;
          CREATE TABLE pets (id INTEGER PRIMARY KEY, name TEXT, category_id INTEGER, status TEXT);
          INSERT INTO petstore_migrations (migration_id, name) VALUES (99, 'moved_pets');
        `)
  )
  const before = readFileSync(join(path, file))
  const message =
    /^DATABASE_URL sqlite:data\/petstore\.db cannot be used \(it has schema version 99 \(moved_pets\), this program knows \d+ \(\w+\)\): run the version of petstore that created it, or set DATABASE_URL to another file\n$/
  for (const { code, stderr } of yield* endings(path)) {
    expect(stderr).toMatch(message)
    expect(code).toBe(3)
  }
  const doctor = yield* run(path, ["doctor", "--json"])
  expect(doctor.code).toBe(1)
  expect(JSON.parse(doctor.stdout)).toContainEqual({
    subject: "database",
    state: "bad",
    message: expect.stringMatching(message.source.replace("\\n$", "$"))
  })
  expect(readFileSync(join(path, file)).equals(before)).toBe(true)
})

live("a database that is damaged is reported by the server and by every command", function* () {
  const path = yield* filled
  // From the first page of the pets table.
  damage(join(path, file), 4096 * 2)
  for (const { code, stderr } of yield* endings(path)) {
    expect(stderr).toMatch(
      /^DATABASE_URL \S+ cannot be used \(database disk image is malformed\): if a pet is named, correct it; else restore a backup, or/
    )
    expect(code).toBe(3)
  }
})

/** A file-size limit stands in for a full disk: SQLite reports both as I/O errors. */
const limited = (path: string, kibibytes: number, words = ["import", "-"]) =>
  Process.run(path, words, {
    program: [
      "bash",
      "--norc",
      "-c",
      `ulimit -f ${kibibytes}; exec "$0" "$@"`,
      process.execPath,
      Process.main
    ],
    stdin: lines(5000)
  })

live("a database without room to grow is full when its log cannot be written", function* () {
  const { stderr } = yield* limited(yield* folder, 60)
  expect(stderr).toMatch(/^DATABASE_URL \S+ cannot be used \([^)]*\): free up space on its disk\n$/)
})

live("petstore doctor says on a full disk that the database cannot grow", function* () {
  const path = yield* filled
  const before = readdirSync(join(path, "data"))
  const { code, stdout } = yield* limited(path, 500, ["doctor"])
  expect(stdout).toMatch(/^database\tbad\tsqlite:\S+ cannot be written \(EFBIG.*free up space on/m)
  expect(code).toBe(1)
  expect(readdirSync(join(path, "data"))).toEqual(before)
})

describe("a SQLite driver that cannot be loaded", () => {
  /** Gives the program in a folder a driver that cannot be loaded. */
  const breakDriver = (path: string) => {
    const driver = join(path, "node_modules", "better-sqlite3")
    mkdirSync(driver, { recursive: true })
    writeFileSync(join(driver, "package.json"), '{"type":"commonjs"}')
    writeFileSync(join(driver, "foreign.node"), "no binary of this machine")
    const stub = 'module.exports = class { constructor() { require("./foreign.node") } }'
    writeFileSync(join(driver, "index.js"), stub)
  }

  /** A copy of the program that has no driver. */
  const withoutDriver = (folder: Effect.Effect<string, never, Scope.Scope>) =>
    Effect.gen(function* () {
      const path = yield* folder
      mkdirSync(join(path, "data"))
      cpSync(dirname(Process.main), join(path, "dist"), { recursive: true })
      writeFileSync(join(path, "package.json"), '{"type":"module"}')
      const program = [process.execPath, join(path, "dist", "main.js")] as const
      const options = (given: Environment = {}) => ({
        environment: { PORT: "0", ...given },
        program,
        stdin: lines(1)
      })
      return {
        path,
        command: (words: ReadonlyArray<string>) => Process.run(path, words, options()),
        serve: (given: Environment) => Process.open(path, [], options(given))
      }
    })

  live("is reported by the server and by commands, with how to rebuild it", function* () {
    const { command, path } = yield* withoutDriver(folder)
    const rebuild =
      /better-sqlite3 has no binary that Node v[0-9.]+ can load on \S+: install it again, or set DATABASE_URL to another database\n/
    const install = /^better-sqlite3 is not installed: run npm install better-sqlite3, or set /
    expect(yield* command([])).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(install)
    })
    breakDriver(path)
    writeFileSync(join(path, file), "")
    // Those that open a store, copy the file, check a file, and inspect it.
    for (const words of [[], ["backup", "x"], ["restore", file]]) {
      const { code, stderr } = yield* command(words)
      expect([words, code, stderr]).toEqual([words, 3, expect.stringMatching(rebuild)])
      expect(stderr.split("\n")).toHaveLength(2)
    }
    expect((yield* command(["doctor"])).stdout).toMatch(rebuild)
  })

  live("is not missed on PostgreSQL, nor in memory", function* () {
    const { command, path, serve } = yield* withoutDriver(folderOnPostgres)
    for (const given of [{}, { DATABASE_URL: "memory:" }]) {
      const server = yield* serve(given)
      yield* Effect.promise(() => server.url())
      expect(yield* Effect.promise(() => server.stop("SIGTERM"))).toMatchObject({ code: 0 })
    }
    const empty = readdirSync(path)
    for (const words of [
      ["import", "-"],
      ["keys", "create", "--name", "ci"],
      ["doctor"],
      ["export", "a.csv"]
    ]) {
      expect([words, yield* command(words)]).toMatchObject([words, { code: 0 }])
    }
    expect(readdirSync(path)).toEqual(["a.csv", ...empty])
    expect(readFileSync(join(path, "a.csv"), "utf8")).toContain("pet 1")
  })
})

live("a file that cannot be looked at is not called missing", function* () {
  const path = yield* folder
  mkdirSync(join(path, "data"))
  symlinkSync("petstore.db", join(path, file))
  const { code, stderr } = yield* run(path, ["keys", "list"])
  expect([code, stderr]).toEqual([3, expect.stringMatching(/cannot be used \(ELOOP.* check that/)])
})
