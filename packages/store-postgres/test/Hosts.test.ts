/** The hosts of a URL, some of which are not what they seem. Failovers are in `slow`. */
import type { Socket } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import * as Listener from "@petstore/local-postgres/support/Listener"
import * as SharedPostgres from "@petstore/local-postgres/support/SharedPostgres"
import { Effect, Fiber, Redacted } from "effect"
import * as ConnectionPool from "../src/internal/ConnectionPool.ts"
import * as Hosts from "../src/internal/Hosts.ts"
import {
  connectToRun,
  database,
  live,
  patient,
  urlOf,
  withParameters
} from "./support/Databases.ts"
import { expectFailure } from "./support/Failures.ts"

/** The hosts at these ports of 127.0.0.1, and what became of each. */
const make = (
  ports: ReadonlyArray<number>,
  attribute?: string,
  url = urlOf("postgres"),
  connectTimeout = "30 seconds"
) => {
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join()
  const all = Redacted.make(Redacted.value(url).replace(/127[^/]*/, hosts))
  const options = patient(
    attribute ? withParameters(all, { target_session_attrs: attribute }) : all
  )
  return Effect.map(Hosts.make(Object({ ...options, connectTimeout })), (found: Hosts.Hosts) => ({
    ...found,
    pool: ConnectionPool.make(found),
    texts: () => found.states().map(({ text }) => text)
  }))
}

describe("hosts", () => {
  live("may answer later if they are away, but not if they refuse the password", function* () {
    const wrong = Redacted.make("postgres://petstore:wrong@127.0.0.1/postgres")
    const { states } = yield* make([1, SharedPostgres.port()], undefined, wrong)
    expect(states().map(({ mayServe }) => mayServe)).toEqual([true, false])
  })

  live("are waited for, and used as soon as one is the primary", function* () {
    let isUp = false
    const port = yield* Listener.make((caller) =>
      isUp ? Listener.forward(caller, SharedPostgres.port()) : caller.destroy()
    )
    const { pool } = yield* make([port], "primary", undefined, "10 minutes")
    const { counts, query } = yield* pool
    const waiting = yield* Effect.fork(query("SELECT 1"))
    yield* Effect.yieldNow()
    isUp = true
    expect(yield* Fiber.join(waiting)).toEqual([[1]])
    expect(counts()).toEqual({ used: 0, idle: 1, waiting: 0, opened: 1, failed: 0 })
  })

  live("are asked when a connection is lost, and not while nothing happens", function* () {
    const callers: Array<Socket> = []
    const port = yield* Listener.make((caller) => {
      callers.push(caller)
      Listener.forward(caller, SharedPostgres.port())
    })
    const { pool, texts } = yield* make([port], "primary")
    const { query } = yield* pool
    yield* query("SELECT 1")
    const text = () => texts()[0]
    expect([text(), callers.length]).toEqual([expect.stringContaining("is the primary"), 2])
    yield* Effect.sleep("300 millis")
    expect(callers).toHaveLength(2)
    callers[1]?.destroy()
    yield* Effect.promise(() => expect.poll(text, { interval: 1 }).toMatch("no answer yet"))
    yield* Effect.promise(() => expect.poll(text).toMatch("is the primary"))
    expect(callers).toHaveLength(3)
  })

  live("are asked under traffic, and while a statement is not answered", function* () {
    let questions = 0
    const port = yield* Listener.make((caller) => {
      questions++
      Listener.forward(caller, SharedPostgres.port())
    })
    const { pool } = yield* make([port], "primary")
    const { query } = yield* pool
    yield* query("SELECT 1")
    expect(questions).toBe(2)
    yield* query("SELECT pg_sleep(2.5)")
    expect(questions).toBeGreaterThan(2)
    const before = questions
    yield* Effect.sleep("2100 millis")
    expect(questions).toBe(before)
    yield* query("SELECT 1")
    yield* Effect.promise(() => expect.poll(() => questions).toBe(before + 1))
  })

  live("get no connection that finds another server there than the search did", function* () {
    const url = yield* database
    const { run } = yield* connectToRun(url)
    yield* run(
      `CREATE SCHEMA standby;
       CREATE FUNCTION standby.pg_is_in_recovery() RETURNS boolean LANGUAGE sql AS 'SELECT true'`
    )
    const hosts = yield* make([SharedPostgres.port()], "primary", url)
    const search = { options: "-c%20search_path%3Dstandby,pg_catalog" }
    const options = { ...hosts.options, url: withParameters(hosts.options.url, search) }
    const demoted = yield* ConnectionPool.make({ ...hosts, options })
    const failure = yield* expectFailure(demoted.query("SELECT 1"), "down", 30_000)
    expect(failure).toMatchObject({
      cause: { message: `127.0.0.1:${SharedPostgres.port()} is no longer the primary` }
    })
    expect(demoted.counts()).toMatchObject({ used: 0, idle: 0 })
  })

  live("keep no connection on which they refused the question", function* () {
    const url = yield* database
    const { run } = yield* connectToRun(url)
    yield* run(
      `CREATE SCHEMA broken;
       CREATE FUNCTION broken.pg_is_in_recovery() RETURNS boolean LANGUAGE sql AS 'SELECT 1/0 > 0'`
    )
    const search = { options: "-c%20search_path%3Dbroken,pg_catalog" }
    const { texts } = yield* make([SharedPostgres.port()], "primary", withParameters(url, search))
    expect(texts()).toEqual([expect.stringContaining("division by zero")])
    const others = run(
      "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    yield* Effect.promise(() => expect.poll(() => Effect.runPromise(others)).toEqual([]))
  })

  it.scopedLive.each(["57P03", "53300"])(
    "that accept no connection yet (%s) are asked again, for as long as a connection may take",
    (code) =>
      Effect.gen(function* () {
        let refusals = 0
        let isDown = false
        const port = yield* Listener.make((caller) => {
          if (!isDown && refusals > 2) return Listener.forward(caller, SharedPostgres.port())
          refusals++
          const fields = `SFATAL\0VFATAL\0C${code}\0Mnot yet\0\0`
          const head = Buffer.alloc(5)
          head.write("E")
          head.writeInt32BE(4 + fields.length, 1)
          caller.on("error", () => {})
          return caller.once("data", () => caller.end(Buffer.concat([head, Buffer.from(fields)])))
        })
        const { texts } = yield* make([port], "primary")
        expect(texts()).toEqual([`127.0.0.1:${port} is the primary`])
        isDown = true
        const down = yield* make([port], "primary", undefined, "500 millis")
        expect(down.texts()).toEqual([`127.0.0.1:${port} does not answer (not yet)`])
      })
  )

  live("have names with their ports, those of IPv6 too", function* () {
    const { members } = yield* Hosts.make({ url: Redacted.make("postgres://me@[::1]:7/pets") })
    expect(members).toMatchObject([{ name: "[::1]:7", host: "::1", port: 7 }])
  })
})
