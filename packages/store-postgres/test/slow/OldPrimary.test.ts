/** A primary that was replaced by a failover, and starts again as the primary that it was. */
import { inspect } from "node:util"
import { describe, expect } from "@effect/vitest"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as LocalPostgres from "@petstore/local-postgres/LocalPostgres"
import { slowly } from "@petstore/local-postgres/support/Listener"
import * as Session from "@petstore/local-postgres/support/Session"
import * as SharedPostgres from "@petstore/local-postgres/support/SharedPostgres"
import * as PostgresDurability from "@petstore/store-postgres/PostgresDurability"
import { Effect, Logger, Redacted } from "effect"
import { live, names, openStore, pet } from "../support/Databases.ts"
import { expectFailure } from "../support/Failures.ts"
import { at, database, eventually, open, share, until } from "../support/Replicas.ts"

const servers = share("asynchronous")

/** Keeps what is logged. */
const logs = () => {
  const messages: Array<string> = []
  const logger = Logger.make(({ message }) => void messages.push(String(message)))
  return { messages, layer: Logger.replace(Logger.defaultLogger, logger) }
}

/** A store with a pet, whose primary failed over and started again unfenced. Its standby is a new copy afterwards. */
const returned = Effect.gen(function* () {
  const ports = [servers().primary().port, servers().standby().port]
  const url = yield* database(ports)
  const { messages, layer } = logs()
  const store = yield* Effect.provide(open({ url, connectTimeout: "1 second" }), layer)
  yield* store.add(pet("1"))
  const replicated = "SELECT 1 / count(*) FROM pets"
  yield* eventually(
    Effect.tryPromise(() => LocalPostgres.execute(at(url, ports[1] ?? 0), replicated))
  )
  servers().primary().kill()
  yield* Effect.promise(() => servers().promote())
  yield* eventually(names(store))
  yield* store.add(pet("2"))
  yield* Effect.promise(() => servers().standby().start())
  yield* Effect.addFinalizer(() => Effect.promise(() => servers().rejoin()))
  // Hosts are asked under traffic.
  const isTold = () => messages.some((message) => message.includes("is an old primary ("))
  yield* eventually(Effect.filterOrFail(names(store), isTold))
  const [old, now] = [servers().standby(), servers().primary()]
  return { store, url, messages, old, now, nameOf: (port: number) => `127.0.0.1:${port}` }
})

/** The pets of a server, as another program sees them. */
const petsAt = (url: Redacted.Redacted, port: number) =>
  Effect.gen(function* () {
    const session = yield* Session.connect(at(url, port))
    const { rows } = yield* Effect.promise(() => session.query("SELECT name FROM pets ORDER BY id"))
    return rows.map(({ name }) => name)
  }).pipe(Effect.scoped)

describe("an old primary that starts again", () => {
  live("gets nothing while the connections to the new one are lost", function* () {
    const { messages, nameOf, now, old, store, url } = yield* returned
    const session = yield* Session.connect(at(url, now.port))
    const added: Array<string> = []
    for (let nth = 3; nth < 23; nth++) {
      yield* Effect.promise(() => session.query(Session.terminate))
      yield* eventually(names(store))
      yield* store.add(pet(`${nth}`))
      added.push(`${nth}`)
      expect(yield* names(store)).toEqual(["1", "2", ...added])
    }
    expect(yield* petsAt(url, old.port)).toEqual(["1"])
    // It is said again when the new one took longer to answer.
    const uses = messages.filter((message) => message.startsWith("connections"))
    expect(new Set(uses)).toEqual(new Set([`connections go to ${nameOf(now.port)} (timeline 2)`]))
    expect(messages.filter((message) => message.includes("is an old primary ("))).toContainEqual(
      `${nameOf(old.port)} is an old primary (timeline 1, the newest is 2): it gets no connections until it is a standby`
    )
  })

  live("gets nothing while the new one is down, and operations say so", function* () {
    const { messages, nameOf, now, old, store, url } = yield* returned
    yield* Effect.promise(() => now.stop())
    // Until the loss is noticed, an operation says that its connection is refused.
    yield* until(() => messages.at(-1)?.startsWith("no host can be used: ") === true)
    const failures = [
      yield* expectFailure(names(store), "down", 30_000),
      yield* expectFailure(store.add(pet("lost")), "down", 30_000),
      // A later cluster of the same process, as commands have several.
      yield* expectFailure(Effect.scoped(openStore({ url })), "down", 30_000),
      yield* expectFailure(PostgresDurability.run({ url }), "down", 30_000)
    ]
    for (const failure of failures) {
      const text = inspect(failure, { depth: 9 })
      expect(text).toContain(`${nameOf(old.port)} is an old primary (timeline`)
      expect(text).toMatch(new RegExp(`${nameOf(now.port)} does not answer \\(.+\\)`))
    }
    yield* Effect.promise(() => now.start())
    yield* eventually(names(store))
    yield* store.add(pet("3"))
    expect(yield* names(store)).toEqual(["1", "2", "3"])
    expect(yield* petsAt(url, old.port)).toEqual(["1"])
  })

  live("is not chosen at first because it answers first, and is reported", function* () {
    const { nameOf, now, old, url } = yield* returned
    const slow = yield* slowly(now.port, 500)
    const text = Redacted.value(url).replace(String(now.port), String(slow))
    const store = yield* open({ url: Redacted.make(text) })
    yield* store.add(pet("3"))
    expect(yield* petsAt(url, old.port)).toEqual(["1"])
    expect(yield* petsAt(url, now.port)).toEqual(["1", "2", "3"])
    const { found, problems } = yield* PostgresDurability.run({ url })
    expect(found).toMatch(new RegExp(`; ${nameOf(now.port)} is the primary$`))
    expect(problems).toContainEqual(
      expect.stringMatching(
        `^${nameOf(old.port)} is an old primary \\(timeline \\d, the newest is \\d\\): it gets no`
      )
    )
  })
})

describe("hosts of different clusters", () => {
  live("are refused", function* () {
    const hosts = `127.0.0.1:${servers().primary().port},127.0.0.1:${SharedPostgres.port()}`
    const url = Redacted.make(LocalPostgres.urlOf("postgres", 0).replace("127.0.0.1:0", hosts))
    const attempts = [Effect.scoped(openStore({ url })), PostgresDurability.run({ url })]
    for (const attempt of attempts.map(Effect.asVoid<unknown, StoreUnavailable, never>)) {
      const failure = yield* expectFailure(attempt, "down", 30_000)
      expect(inspect(failure, { depth: 9 })).toMatch(
        /no host can be used: \S+ belongs to another cluster \(.+ \S+ belongs to another cluster \(/
      )
    }
  })
})
