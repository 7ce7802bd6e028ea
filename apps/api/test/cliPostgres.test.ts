/** Commands on a PostgreSQL database. */
import { describe, expect } from "@effect/vitest"
import * as LocalPostgres from "@petstore/local-postgres/LocalPostgres"
import * as SharedPostgres from "@petstore/local-postgres/support/SharedPostgres"
import { Effect } from "effect"
import { examine } from "./support/Doctor.ts"
import { folder, folderOnPostgres, live } from "./support/Folder.ts"
import { hosts, unlogged } from "./support/Hosts.ts"
import * as Process from "./support/Process.ts"
import { run, serve } from "./support/Program.ts"
import { lines } from "./support/Stock.ts"

const shown = /^postgres:\/\/\*\*\*@127\.0\.0\.1:\d+\/\w+ /

describe("petstore on PostgreSQL", () => {
  live("is examined by doctor: empty, with pets and keys, and damaged", function* () {
    const path = yield* folder
    const url = yield* SharedPostgres.database
    const environment = { DATABASE_URL: url }
    const on = { environment }
    const empty = yield* examine(path, environment)
    expect(empty.of("database")).toMatchObject([{ state: "warning" }])
    expect(empty.of("database")[0]?.message).toMatch(shown)
    yield* run(path, ["import", "-"], { ...on, stdin: lines(3) })
    yield* run(path, ["keys", "create", "--new-database", "--name", "ci"], on)
    const { of, states } = yield* examine(path, environment)
    expect(states).toEqual(["good", "good", "warning", "good", "good"])
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
    expect(of("database")[0]?.message).toMatch(/is intact and holds 3 pets, in PostgreSQL \d/)
    yield* Effect.promise(() => LocalPostgres.execute(url, "UPDATE pet_ids SET last = 2"))
    const damaged = yield* examine(path, environment)
    expect(damaged.of("database")[0]?.message).toMatch(/is damaged \(pet 3 has a greater id/)
  })

  live("is warned about by doctor if a failover could lose pets", function* () {
    const one = yield* SharedPostgres.database
    const several = one.replace(/127\.0\.0\.1:\d+/, "$&,127.0.0.1:1")
    const path = yield* folder
    const lost =
      /^durability\twarning\t.* a failover may lose what was acknowledged: set synchronous_standby_names/m
    const examined = (DATABASE_URL: string) =>
      Effect.map(run(path, ["doctor"], { environment: { DATABASE_URL } }), ({ stdout }) => stdout)
    expect(yield* examined(several)).toMatch(lost)
    expect(yield* examined(one)).not.toMatch(lost)
  })

  live("says that a database is empty before it exports from it", function* () {
    const path = yield* folderOnPostgres
    const { code, stderr } = yield* run(path, ["export", "-"])
    expect(stderr).toMatch(/^there is no database at postgres:.* run petstore serve/)
    expect(code).toBe(3)
  })

  live("takes the password from PGPASSWORD, and never prints it", function* () {
    const path = yield* folder
    const url = new URL(yield* SharedPostgres.database)
    url.password = ""
    const environment = {
      DATABASE_URL: url.href,
      PGPASSWORD: LocalPostgres.password,
      LOG_LEVEL: "trace"
    }
    // The driver reads the variable itself.
    const { program: server } = yield* Process.serve(path, environment)
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
})

const url = /postgres:\/\/\*\*\*@[\d.:,]+\/\w+/

live("commands with two hosts, one of them down, work and end", function* () {
  const path = yield* folder
  const environment = { DATABASE_URL: yield* hosts }
  const succeed = (words: ReadonlyArray<string>, stdin = "") =>
    Effect.map(run(path, words, { environment, stdin }), ({ code, stderr, stdout }) => {
      expect([code, words]).toEqual([0, words])
      return { stderr: unlogged(stderr), stdout }
    })
  const refused = (words: ReadonlyArray<string>) =>
    Effect.map(run(path, words, { environment }), ({ code, stderr }) => {
      expect([code, words]).toEqual([2, words])
      return unlogged(stderr)
    })
  expect(yield* succeed(["import", "-"], lines(3))).toMatchObject({
    stderr: "imported 3 pets\n"
  })
  expect((yield* succeed(["export", "-"])).stdout.match(/pet \d/g)).toHaveLength(3)
  expect(yield* refused(["backup", "pets.dump"])).toMatch(/ use pg_dump and pg_restore$/m)
  expect(yield* refused(["restore", "pets.dump"])).toMatch(/ use pg_dump and pg_restore$/m)
  const [, id = ""] =
    /^pet_(\w{10})_/.exec(
      (yield* succeed(["keys", "create", "--new-database", "--name", "ci"])).stdout
    ) ?? []
  yield* succeed(["keys", "rotate", id])
  expect((yield* succeed(["keys", "revoke", id])).stdout).toBe(`revoked ${id} (ci)\n`)
  expect((yield* succeed(["keys", "list"])).stdout).toMatch(new RegExp(`^${id}\t.*\trevoked\t`))
  const copied = yield* succeed(["copy", environment.DATABASE_URL, "sqlite:copy.db"])
  expect(copied.stderr).toMatch(/^copied 3 pets and 2 keys; all 3 are the same/)
  const doctor = yield* run(path, ["doctor"], { environment })
  expect(doctor.stdout).toMatch(/database\tgood\t\S+ is intact and holds 3 pets/)
  expect(doctor.stdout).toContain("127.0.0.1:1 does not answer (connect ECONNREFUSED")
  expect((yield* succeed(["config"])).stdout).toMatch(url)
  const { program: server } = yield* serve(path, environment)
  expect(yield* Effect.promise(() => server.stop("SIGTERM"))).toMatchObject({ code: 0 })
})
