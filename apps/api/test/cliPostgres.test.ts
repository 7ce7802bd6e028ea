/** Commands on a PostgreSQL database. */
import { describe, expect, it } from "@effect/vitest"
import * as LocalPostgres from "@petstore/local-postgres/LocalPostgres"
import * as SharedPostgres from "@petstore/local-postgres/support/SharedPostgres"
import { Effect } from "effect"
import { examine } from "./support/Doctor.ts"
import { folder, folderOnPostgres } from "./support/Folder.ts"
import { lines } from "./support/Pets.ts"
import * as Process from "./support/Process.ts"
import { run, start } from "./support/Program.ts"
import { createKey } from "./support/Stock.ts"

const shown = /^postgres:\/\/\*\*\*@127\.0\.0\.1:\d+\/\w+ /

describe.concurrent("petstore on PostgreSQL", () => {
  it.scopedLive("is examined by doctor: empty, with pets and keys, and damaged", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const url = yield* SharedPostgres.database
      const environment = { DATABASE_URL: url }
      const on = { environment }
      const empty = yield* examine(path, environment)
      expect(empty.of("database")).toMatchObject([{ state: "warning" }])
      expect(empty.of("database")[0]?.message).toMatch(shown)
      yield* run(path, ["import", "-"], { ...on, stdin: lines(3) })
      yield* run(path, ["keys", "create", "--name", "ci"], on)
      const { findings, of } = yield* examine(path, environment)
      expect(findings.map(({ state }) => state)).toEqual([
        "good",
        "good",
        "warning",
        "good",
        "good"
      ])
      // The servers of tests do not wait for the disk.
      expect(of("durability")).toEqual([
        {
          subject: "durability",
          state: "warning",
          message:
            "synchronous_commit = on, fsync = off, full_page_writes = off; " +
            "commits wait for no standby; no standby is connected",
          fix: expect.stringMatching(/^fsync = off: a crash .*; full_page_writes = off: a crash/)
        }
      ])
      expect(of("database")[0]?.message).toMatch(/is intact and holds 3 pets$/)
      yield* Effect.promise(() => LocalPostgres.execute(url, "UPDATE pet_ids SET last = 2"))
      const damaged = yield* examine(path, environment)
      expect(damaged.of("database")[0]?.message).toMatch(/is damaged \(pet 3 has a greater id/)
    })
  )

  it.scopedLive("says that pg_dump makes backups", () =>
    Effect.gen(function* () {
      const path = yield* folderOnPostgres
      yield* createKey(path)
      const { code, stderr } = yield* run(path, ["backup", "pets.dump"])
      expect(stderr).toMatch(/ use pg_dump --format=custom --file=pets\.dump\n$/)
      expect(code).toBe(2)
    })
  )

  it.scopedLive("says that a database is empty before it exports from it", () =>
    Effect.gen(function* () {
      const path = yield* folderOnPostgres
      const { code, stderr } = yield* run(path, ["export", "-"])
      expect(stderr).toMatch(/^there is no database at postgres:.* run petstore serve/)
      expect(code).toBe(3)
    })
  )

  it.scopedLive("takes the password from PGPASSWORD, and never prints it", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const url = new URL(yield* SharedPostgres.database)
      url.password = ""
      const environment = {
        DATABASE_URL: url.href,
        PGPASSWORD: LocalPostgres.password,
        LOG_LEVEL: "trace"
      }
      // The driver reads the variable itself.
      const server = yield* Process.start(path, environment)
      yield* Effect.promise(() => server.url())
      const { stderr, stdout } = yield* Effect.promise(() => server.stop("SIGTERM"))
      const config = yield* run(path, ["config"], { environment })
      const wrong = yield* Process.run(path, ["keys", "list"], {
        environment: { ...environment, PGPASSWORD: "hunter2" }
      })
      expect(wrong).toMatchObject({ code: 3 })
      expect(wrong.stderr).toMatch(/password authentication failed.* check that/)
      const all = stderr + stdout + config.stdout + wrong.stderr
      expect(all).toContain("serving")
      for (const secret of [LocalPostgres.password, encodeURIComponent(LocalPostgres.password)]) {
        expect(all).not.toContain(secret)
      }
      expect(all).not.toContain("hunter2")
    })
  )
})

describe("servers on PostgreSQL", () => {
  it.scopedLive("print the first key once if they start together", () =>
    Effect.gen(function* () {
      const path = yield* folderOnPostgres
      const environment = { PETSTORE_PRINT_FIRST_KEY: "true" }
      const servers = yield* Effect.replicateEffect(start(path, environment), 2)
      for (const server of servers) yield* Effect.promise(() => server.url())
      for (const server of servers) yield* Effect.promise(() => server.stop("SIGTERM"))
      const printed = servers.map(({ stderr }) => stderr).join("")
      expect(printed.match(/^ {2}pet_\w+$/gm)).toHaveLength(1)
    })
  )

  it.scopedLive("reject a database with a newer schema", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const url = yield* SharedPostgres.database
      const environment = { DATABASE_URL: url }
      yield* run(path, ["keys", "create", "--name", "ci"], { environment })
      yield* Effect.promise(() =>
        LocalPostgres.execute(
          url,
          "INSERT INTO petstore_migrations VALUES (99, 'moved_pets', FALSE)"
        )
      )
      const server = yield* start(path, environment)
      const { code, stderr } = yield* Effect.promise(() => server.ended)
      expect(stderr).toMatch(
        /^DATABASE_URL postgres:\S+ cannot be used \(it has schema version 99 \(moved_pets\), this program knows \d+ \(\w+\)\): run the newest version of petstore, or set DATABASE_URL to another database\n$/
      )
      expect(code).toBe(3)
    })
  )
})
