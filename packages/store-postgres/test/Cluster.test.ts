/** The hosts of a URL, some of which are not what they seem. Failovers are in `slow`. */
import type { Socket } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import * as Listener from "@petstore/local-postgres/support/Listener"
import * as SharedPostgres from "@petstore/local-postgres/support/SharedPostgres"
import type * as PostgresStores from "@petstore/store-postgres/PostgresStores"
import { Effect, Exit, Fiber, Redacted } from "effect"
import * as Cluster from "../src/internal/Cluster.ts"
import type * as ConnectionPool from "../src/internal/ConnectionPool.ts"
import * as StandbyReads from "../src/internal/StandbyReads.ts"
import {
  connectToRun,
  database,
  live,
  names,
  openStore,
  patient,
  pet,
  urlOf
} from "./support/Databases.ts"

/** The same URL with these hosts of 127.0.0.1, and with parameters. */
const at = (url: Redacted.Redacted, ports: ReadonlyArray<number>, parameters = "") => {
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join()
  return Redacted.make(`${Redacted.value(url).replace(/127[^/]*/, hosts)}${parameters}`)
}

/** The cluster of these hosts, and what became of each. */
const make = (ports: ReadonlyArray<number>, parameters = "", url = urlOf("postgres")) =>
  Effect.map(Cluster.make({ ...patient, url: at(url, ports, parameters) }), (cluster) => ({
    ...cluster,
    states: cluster.members.map(cluster.stateOf)
  }))

describe("hosts", () => {
  live("may answer later if they are away, but not if they refuse the password", function* () {
    const wrong = Redacted.make("postgres://petstore:wrong@127.0.0.1/postgres")
    const { states } = yield* make([1, SharedPostgres.port()], "", wrong)
    expect(states.map(({ mayServe }) => mayServe)).toEqual([true, false])
  })

  live("are not asked for their roles if any will do", function* () {
    const ports = [1, SharedPostgres.port()]
    const { pool, states } = yield* make(ports, "?target_session_attrs=any")
    expect(states.map(({ text }) => text)).toEqual([
      expect.stringContaining("does not answer"),
      `127.0.0.1:${SharedPostgres.port()} is used`
    ])
    expect(yield* (yield* pool()).query("SELECT 1")).toEqual([[1]])
  })

  live("are waited for, and used as soon as one is the primary", function* () {
    let isUp = false
    const port = yield* Listener.make((caller) =>
      isUp ? Listener.forward(caller, SharedPostgres.port()) : caller.destroy()
    )
    const { members, pool } = yield* make([port], "?target_session_attrs=primary")
    // Longer than a test may take.
    const { counts, query } = yield* pool({ connectTimeout: "10 minutes" })
    const waiting = yield* Effect.fork(query("SELECT 1"))
    yield* Effect.yieldNow()
    isUp = true
    expect(yield* Fiber.join(waiting)).toEqual([[1]])
    // The next answers do not connect it again.
    for (let answers = 0; answers < 2; answers++) {
      const before = members[0]?.seen
      yield* Effect.promise(() => expect.poll(() => members[0]?.seen).not.toBe(before))
    }
    expect(counts()).toEqual({ used: 0, idle: 1, waiting: 0, opened: 1, failed: 0 })
  })

  live("have lost their role as soon as the connection that asks is lost", function* () {
    const roles: Array<unknown> = []
    const callers: Array<Socket> = []
    const role = () => cluster.members.map((member) => cluster.stateOf(member).role).join()
    const port = yield* Listener.make((caller) => {
      if (callers.push(caller) > 1) roles.push(role())
      Listener.forward(caller, SharedPostgres.port())
    })
    const cluster = yield* make([port], "?target_session_attrs=primary")
    expect(role()).toBe("primary")
    callers[0]?.destroy()
    // Not when the next question fails.
    yield* Effect.promise(() => expect.poll(() => roles).toEqual(["unknown"]))
  })

  it.scopedLive.each(["57P03", "53300"])(
    "that accept no connection yet (%s) are asked again, for as long as a connection may take",
    (code) =>
      Effect.gen(function* () {
        let refusals = 0
        const isUp = () => refusals > 2
        let isDown = false
        const port = yield* Listener.make((caller) => {
          if (!isDown && isUp()) return Listener.forward(caller, SharedPostgres.port())
          refusals++
          const fields = `SFATAL\0VFATAL\0C${code}\0Mnot yet\0\0`
          const head = Buffer.alloc(5)
          head.write("E")
          head.writeInt32BE(4 + fields.length, 1)
          caller.on("error", () => {})
          return caller.once("data", () => caller.end(Buffer.concat([head, Buffer.from(fields)])))
        })
        const { states } = yield* make([port], "?target_session_attrs=primary")
        expect(states.map((state) => state.role)).toEqual(["primary"])
        isDown = true
        const url = at(urlOf("postgres"), [port], "?target_session_attrs=primary")
        const { members, stateOf } = yield* Cluster.make({ url, connectTimeout: "500 millis" })
        expect(members.map((member) => stateOf(member).text)).toEqual([
          `127.0.0.1:${port} does not answer (not yet)`
        ])
      })
  )

  live("have names with their ports, also those of IPv6", function* () {
    const { members } = yield* Cluster.make({ url: Redacted.make("postgres://me@[::1]:7/pets") })
    expect(members).toMatchObject([{ name: "[::1]:7", host: "::1", port: 7 }])
  })

  it("have a role, and standbys what they have not replayed", () => {
    const members = [
      { name: "a", seen: { role: "primary", position: 30 } },
      { name: "b", seen: { role: "standby", position: 10 } },
      { name: "c", seen: { role: "standby", position: 31 } },
      { name: "d" }
    ]
    const stateOf = ({ seen }: (typeof members)[number]) => ({ role: seen?.role ?? "unknown" })
    expect(Cluster.statesOf(Object({ members, stateOf }))).toEqual([
      { host: "a", role: "primary", lag: undefined },
      { host: "b", role: "standby", lag: 20 },
      { host: "c", role: "standby", lag: 0 },
      { host: "d", role: "unknown", lag: undefined }
    ])
  })
})

describe("reads that prefer standbys", () => {
  live("are made by the primary while there is none, and each host has its pool", function* () {
    let read = (): PostgresStores.DatabaseState => ({ hosts: [], pools: [] })
    const url = at(yield* database, [SharedPostgres.port()], "?target_session_attrs=prefer-standby")
    const onOpen = (given: typeof read) => {
      read = given
    }
    const store = yield* openStore({ ...patient, url, onOpen })
    yield* store.add(pet("Rex"))
    expect(yield* names(store)).toEqual(["Rex"])
    const host = `127.0.0.1:${SharedPostgres.port()}`
    expect(read()).toMatchObject({
      hosts: [{ host, role: "primary" }],
      pools: [
        { pool: "primary", idle: 1 },
        { pool: host, opened: 0 }
      ]
    })
  })

  live("take turns, and are made by the primary if none of them has replayed enough", function* () {
    const options = { ...patient, url: yield* database, maxConnections: 1 }
    const members = ["a", "b"].map((name) => ({ name, url: options.url, drops: new Set() }))
    const send: ConnectionPool.Send = (statement, _, callback) =>
      callback(Exit.succeed(Object([[typeof statement === "string" ? statement : 0n]])))
    const reads = yield* StandbyReads.make(
      options,
      Object({ members, standbys: () => members }),
      Object({ send })
    )
    for (const opened of [
      [1, 0],
      [1, 1],
      [1, 1]
    ]) {
      const exit = yield* Effect.async<unknown>((resume) =>
        reads.send("SELECT 1", [], (exit) => resume(Effect.succeed(exit)))
      )
      expect(exit).toEqual(Exit.succeed([["SELECT 1"]]))
      expect(reads.pools().map((pool) => pool.opened)).toEqual(opened)
    }
    const read = Effect.async<unknown>((resume) =>
      reads.send("SELECT 1", [], (exit) => resume(Effect.succeed(exit)))
    )
    yield* Effect.replicateEffect(read, 4, { concurrency: 4 })
    // Each has as many as the primary may have.
    expect(reads.pools().map((pool) => pool.opened)).toEqual([1, 1])
  })

  live("are made by a standby that has replayed everything, or will have soon", function* () {
    const url = yield* database
    const { run } = yield* connectToRun(url)
    // Functions in the place of those of a standby, which has everything when it is asked for the fifth time.
    yield* run(`
      CREATE SEQUENCE asked;
      CREATE SCHEMA standby;
      CREATE FUNCTION standby.pg_is_in_recovery() RETURNS boolean LANGUAGE sql AS 'SELECT true';
      CREATE FUNCTION standby.pg_last_wal_replay_lsn() RETURNS pg_lsn LANGUAGE sql AS
        $$ SELECT CASE WHEN nextval('public.asked') < 5 THEN '9/FFFFFFFF' ELSE 'A/5' END::pg_lsn $$`)
    const path = "?options=-c%20search_path%3Dstandby,pg_catalog"
    const member = {
      name: "a",
      url: Redacted.make(`${Redacted.value(url)}${path}`),
      drops: new Set()
    }
    let position: Exit.Exit<unknown, unknown> = Exit.succeed([[0xa_0000_0005n]])
    const send: ConnectionPool.Send = (statement, _, callback) =>
      callback(Object(typeof statement === "string" ? Exit.succeed([["primary"]]) : position))
    const reads = yield* StandbyReads.make(
      { ...patient, url },
      Object({ members: [member], standbys: () => [member] }),
      Object({ send })
    )
    const read = (statement: string) =>
      Effect.async((resume: (exit: Exit.Exit<unknown, unknown>) => void) =>
        reads.send(statement, [], resume)
      )
    const asked = Effect.map(run("SELECT last_value FROM asked"), ([row]) => Number(row.last_value))
    expect([yield* read("SELECT 'standby'"), yield* asked]).toEqual([[["standby"]], 5])
    // That is asked five times, too.
    position = Exit.succeed([[0xa_0000_0006n]])
    expect([yield* read("SELECT 'standby'"), yield* asked]).toEqual([[["primary"]], 10])
    position = Exit.succeed([[0xa_0000_0005n]])
    expect(yield* read("SELECT 1 / 0")).toEqual([["primary"]])
    position = Exit.fail("no position")
    expect(yield* Effect.flip(read("SELECT 'standby'"))).toBe("no position")
  })
})
