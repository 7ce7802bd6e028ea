/** Reads from standbys, with `target_session_attrs=prefer-standby`. */
import { chown, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect } from "@effect/vitest"
import * as LocalPostgres from "@petstore/local-postgres/LocalPostgres"
import * as Session from "@petstore/local-postgres/support/Session"
import * as StallingProxy from "@petstore/local-postgres/support/StallingProxy"
import { Effect, Fiber, Redacted } from "effect"
import type pg from "pg"
import { live, names, pet } from "../support/Databases.ts"
import { at, database, eventually, open, share, until } from "../support/Replicas.ts"

const servers = share("asynchronous")

/** Runs a statement, and returns its first value. */
const ask = (client: pg.Client, sql: string) =>
  Effect.promise(async () => Object.values((await client.query(sql)).rows[0] ?? {})[0])

/** Waits until a statement returns true. */
const untilTrue = (client: pg.Client, sql: string) =>
  eventually(Effect.filterOrFail(ask(client, sql), (value) => value === true))

/** A database on both servers, a store that reads from the standby, and a connection to each server. */
const setUp = (standbyPort = servers().standby().port) =>
  Effect.gen(function* () {
    const hosts = yield* database([servers().primary().port, standbyPort])
    const url = Redacted.make(`${Redacted.value(hosts)}?target_session_attrs=prefer-standby`)
    const { roles, store } = yield* open({ url, statementTimeout: "10 minutes" })
    yield* until(() => roles().join() === "primary,standby")
    const primary = yield* Session.connect(at(url, servers().primary().port))
    const standby = yield* Session.connect(at(url, servers().standby().port))
    /** Waits until the standby has everything, also what is not committed. */
    const caughtUp = Effect.flatMap(
      ask(primary, "SELECT pg_current_wal_insert_lsn()"),
      (position) => untilTrue(standby, `SELECT pg_last_wal_replay_lsn() >= '${position}'`)
    )
    return { url, roles, store, primary, standby, caughtUp }
  })

/** Whether a server has read pets for the store. */
const hasRead = `SELECT count(*) > 0 ${Session.ours} AND query LIKE '%pet.*%LATERAL%'`

describe("a standby", () => {
  live("serves reads while it has everything, and only then", function* () {
    const { caughtUp, primary, standby, store } = yield* setUp()
    yield* store.add(pet("1"))
    yield* caughtUp
    yield* eventually(
      Effect.zipRight(names(store), Effect.filterOrFail(ask(standby, hasRead), Boolean))
    )
    expect(yield* ask(primary, hasRead)).toBe(false)
    yield* ask(standby, "SELECT pg_wal_replay_pause()")
    yield* Effect.addFinalizer(() => ask(standby, "SELECT pg_wal_replay_resume()"))
    for (const name of ["2", "3"]) yield* store.add(pet(name))
    expect(yield* names(store)).toEqual(["1", "2", "3"])
    expect(yield* ask(primary, hasRead)).toBe(true)
  })

  live("has every pet as soon as it is acknowledged, whichever server added it", function* () {
    const { store, url } = yield* setUp()
    const { store: other } = yield* open({ url })
    // One whose commits are acknowledged before the log of the primary is written.
    const hasty = `${Redacted.value(url)}&options=-c%20synchronous_commit%3Doff`
    const { store: third } = yield* open({ url: Redacted.make(hasty) })
    const added = Array.from({ length: 400 }, (_, nth) =>
      Effect.flatMap((nth % 2 === 0 ? other : third).add(pet(`${nth}`)), ({ id }) => store.get(id))
    )
    const found = yield* Effect.all(added, { concurrency: 8 })
    expect(found.map(({ name }) => name)).toEqual(added.map((_, nth) => `${nth}`))
  })

  live("that fails a read has it made by the primary", function* () {
    const { caughtUp, primary, standby, store } = yield* setUp()
    yield* store.add(pet("1"))
    // The standby holds the lock, too, once it has replayed that.
    yield* ask(primary, "BEGIN")
    yield* ask(primary, "LOCK TABLE pets")
    // Another commit sends the lock to the standby.
    yield* Effect.promise(() =>
      LocalPostgres.administer(servers().primary().port, "COMMENT ON DATABASE postgres IS 'locked'")
    )
    yield* caughtUp
    const reading = yield* Effect.fork(names(store))
    yield* Session.untilBlocked(standby)
    yield* Effect.promise(() => standby.query(Session.terminate))
    yield* ask(primary, "ROLLBACK")
    expect(yield* Fiber.join(reading)).toEqual(["1"])
  })

  live("that swallows packets delays no read for long", function* () {
    const proxy = yield* StallingProxy.make(servers().standby().port)
    const { caughtUp, roles, store } = yield* setUp(proxy.port)
    yield* store.add(pet("1"))
    yield* caughtUp
    proxy.stall()
    // Otherwise it waits for the timeout of the statement, ten minutes.
    expect(yield* names(store)).toEqual(["1"])
    yield* until(() => roles().join() === "primary,unknown")
    expect(yield* names(store)).toEqual(["1"])
  })

  live("is not read from if its history is not that of the primary", function* () {
    const { caughtUp, roles, store } = yield* setUp()
    yield* store.add(pet("1"))
    yield* caughtUp
    yield* Effect.promise(() => servers().cut())
    // The primary is lost with changes that the standby does not have, so its positions are ahead.
    for (let round = 0; round < 20; round++) yield* store.add(pet("lost ".repeat(200)))
    servers().kill()
    yield* Effect.promise(() => servers().promote())
    yield* Effect.promise(() => startAsStandby())
    yield* until(() => roles().join() === "standby,primary")
    yield* store.add(pet("2"))
    expect(yield* names(store)).toEqual(["1", "2"])
    yield* Effect.promise(() => servers().rejoin())
    yield* until(() => roles().join() === "standby,primary")
    expect(yield* names(store)).toEqual(["1", "2"])
  })
})

/** Starts the server that was killed as a standby, which finds no primary. */
const startAsStandby = async () => {
  const { data, start } = servers().standby()
  const { gid, uid } = await stat(data)
  const signal = join(data, "standby.signal")
  await writeFile(signal, "")
  await chown(signal, uid, gid)
  await start()
}
