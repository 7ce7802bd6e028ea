/** A service and its commands while a primary that was replaced runs again as the primary that it was. */
import { expect } from "@effect/vitest"
import * as LocalPostgres from "@petstore/local-postgres/LocalPostgres"
import * as Replicated from "@petstore/local-postgres/Replicated"
import { Effect, Schedule } from "effect"
import { add, call, firstPage } from "../support/Calls.ts"
import { folder, live } from "../support/Folder.ts"
import { at, startingProxy } from "../support/Hosts.ts"
import * as Process from "../support/Process.ts"
import { run, serve } from "../support/Program.ts"
import { linesOf } from "../support/ServerLog.ts"

const servers = Effect.acquireRelease(
  Effect.promise(() => Replicated.start("asynchronous", ...LocalPostgres.forTests)),
  ({ remove }) => Effect.promise(remove)
)

live("an old primary gets nothing from a service, nor from later commands", function* () {
  const { primary, promote, standby } = yield* servers
  const [old, other] = [primary(), standby()]
  const environment = {
    DATABASE_URL: at(LocalPostgres.urlOf("postgres", 0), old.port, other.port)
  }
  const path = yield* folder
  const create = (name: string) => {
    const words = ["keys", "create", "--new-database", "--name", name]
    return Effect.map(run(path, words, { environment }), ({ stdout }) => ({
      key: stdout.trim(),
      id: stdout.slice(4, 14)
    }))
  }
  const mine = yield* create("mine")
  const theirs = yield* create("theirs")
  const { program: server, url } = yield* serve(path, environment)
  const becomes = (status: number, path: string, key = mine.key) =>
    Effect.repeat(call(url + path, key), {
      until: (answer) => answer.status === status,
      schedule: Schedule.spaced("20 millis").pipe(Schedule.upTo("60 seconds"))
    }).pipe(Effect.zipRight(call(url + path, key)))
  expect((yield* becomes(200, firstPage)).status).toBe(200)

  const asks = "SELECT 1 / (count(*) - 1) FROM api_keys"
  yield* Effect.retry(
    Effect.tryPromise(() =>
      LocalPostgres.execute(LocalPostgres.urlOf("postgres", other.port), asks)
    ),
    Schedule.spaced("20 millis")
  )
  old.kill()
  yield* Effect.promise(promote)
  expect((yield* becomes(200, firstPage)).status).toBe(200)
  expect((yield* add(url, mine.key, "Rex")).status).toBe(201)
  yield* Effect.promise(() => old.start())
  yield* Effect.promise(() => server.until(/is an old primary \(timeline 1, the newest is 2\)/))

  // A process of its own knows nothing of the failover. It learns of it from the hosts that answer, in any order.
  const revoked = yield* Process.run(path, ["keys", "revoke", theirs.id], { environment })
  expect(revoked).toMatchObject({ code: 0, stdout: `revoked ${theirs.id} (theirs)\n` })
  expect((yield* becomes(401, firstPage, theirs.key)).status).toBe(401)
  // Nor does it use the old one because the new one is starting.
  const started = yield* startingProxy(other.port)
  const own = yield* Process.run(path, ["keys", "list"], {
    environment: { DATABASE_URL: at(environment.DATABASE_URL, old.port, started) }
  })
  expect(own.stdout).toMatch(new RegExp(`^${theirs.id}\t.*\trevoked\t`, "m"))
  const examined = yield* Process.run(path, ["doctor"], { environment })
  for (const { stderr } of [revoked, own, examined])
    expect(stderr.match(/ is an old primary /g)).toHaveLength(1)
  expect(examined.stdout).toMatch(/database\tgood\t.* holds 1 pet, in PostgreSQL /)
  expect(examined.stdout).toMatch(
    /durability\twarning\t.*127.0.0.1:\d+ is an old primary \(timeline 1, the newest is 2\): it gets no connections until/
  )

  yield* Effect.promise(() => other.stop())
  expect((yield* becomes(503, "/readyz")).status).toBe(503)
  for (let times = 0; times < 3; times++) {
    expect((yield* call(url + firstPage, mine.key)).status).toBe(503)
    expect((yield* add(url, mine.key, "lost")).status).toBe(503)
  }
  const told =
    /no host can be used: \S+ is an old primary \(timeline 1, the newest is 2\).*, \S+ does not answer/
  yield* Effect.promise(() => server.until(told))
  const without = yield* run(path, ["doctor"], { environment })
  expect([without.code, without.stdout]).toEqual([1, expect.stringMatching(told)])

  yield* Effect.promise(() => other.start())
  expect((yield* becomes(200, "/readyz")).status).toBe(200)
  const page = yield* call(url + firstPage, mine.key)
  expect(page.body).toMatchObject([{ name: "Rex" }])
  expect((yield* call(url + firstPage, theirs.key)).status).toBe(401)
  // After the failover, and after its restart.
  const used = { level: "warn", message: `connections go to 127.0.0.1:${other.port} (timeline 2)` }
  expect(linesOf(server.stdout, /^connections/)).toMatchObject([used, used])
})
