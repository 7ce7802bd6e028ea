/** Several hosts: a primary and a standby. */
import { createServer, connect as dial, type Socket } from "node:net"
import { inspect } from "node:util"
import { describe, expect, it } from "@effect/vitest"
import { ApiKeyStore } from "@petstore/access/ApiKeyStore"
import { PageLimit } from "@petstore/domain/PetPage"
import { PetStore } from "@petstore/domain/PetStore"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as LocalPostgres from "@petstore/local-postgres/LocalPostgres"
import * as Session from "@petstore/local-postgres/support/Session"
import * as StallingProxy from "@petstore/local-postgres/support/StallingProxy"
import * as PostgresDurability from "@petstore/store-postgres/PostgresDurability"
import * as PostgresStores from "@petstore/store-postgres/PostgresStores"
import { Context, Effect, Fiber, Redacted } from "effect"
import { counted, key, live, names, patient, pet, withParameters } from "../support/Databases.ts"
import { expectFailure } from "../support/Failures.ts"
import { at, database, eventually, open, share, until } from "../support/Replicas.ts"

const servers = share("synchronous")

describe("several hosts", () => {
  live(
    "are asked which is the primary, and one that swallows packets delays only the start",
    function* () {
      const silent = yield* StallingProxy.make(servers().standby().port)
      silent.stall()
      const url = yield* database([silent.port, servers().primary().port], servers().primary().port)
      const store = yield* open({ url, connectTimeout: "2 seconds" })
      yield* store.add(pet("1"))
    }
  )

  live("have another primary after each failover, which is found", function* () {
    const ports = [servers().standby().port, servers().primary().port]
    const { counts, onOpen } = counted()
    const store = yield* open({ url: yield* database(ports, ports[1]), onOpen })
    yield* store.add(pet("1"))
    for (const name of ["2", "3"]) {
      servers().primary().kill()
      yield* until(() => counts().idle === 0)
      const adding = yield* Effect.fork(store.add(pet(name)))
      yield* Effect.promise(() => servers().promote())
      // An operation that waits for the new one gets it.
      yield* Fiber.join(adding)
      yield* Effect.promise(() => servers().rejoin())
    }
    expect(yield* names(store)).toEqual(["1", "2", "3"])
  })

  live("are left when they stop answering and another one is promoted", function* () {
    const proxy = yield* StallingProxy.make(servers().primary().port)
    const stores = yield* PostgresStores.make({
      url: withParameters(yield* database([proxy.port, servers().standby().port]), {
        statement_timeout: 600_000
      }),
      connectTimeout: "30 seconds"
    })
    const store = Context.get(stores, PetStore)
    yield* store.add(pet("1"))
    proxy.stall()
    // Each pool has connections to it.
    const reads = [names(store), Context.get(stores, ApiKeyStore).list].map(
      Effect.exit<unknown, StoreUnavailable, never>
    )
    const waiting = yield* Effect.fork(Effect.all(reads, { concurrency: 2 }))
    yield* Effect.promise(() => servers().promote())
    // Otherwise it waits for the answer to its statement.
    yield* Fiber.join(waiting)
    yield* eventually(names(store))
    yield* store.add(pet("2"))
    expect(yield* names(store)).toEqual(["1", "2"])
    yield* Effect.promise(() => servers().rejoin())
  })

  live("are left for one that says it is the primary, too, with a newer timeline", function* () {
    const url = yield* database([servers().primary().port, servers().standby().port])
    const store = yield* open({ url })
    yield* store.add(pet("1"))
    yield* Effect.promise(() => servers().promote())
    // The old one does not acknowledge it: it waits for its standby.
    yield* eventually(store.add(pet("2")))
    const other = yield* Session.connect(at(url, servers().primary().port))
    const { rows } = yield* Effect.promise(() => other.query("SELECT name FROM pets ORDER BY id"))
    expect(rows).toEqual([{ name: "1" }, { name: "2" }])
    yield* Effect.promise(() => servers().rejoin())
  })

  live("fail operations in time while none is a primary", function* () {
    const url = yield* database([servers().primary().port, servers().standby().port])
    const { counts, onOpen } = counted()
    const store = yield* open({ url, connectTimeout: "1500 millis", onOpen })
    yield* store.add(pet("1"))
    yield* Effect.promise(() => servers().primary().stop())
    // Until the loss is noticed, an operation says that its connection is refused.
    yield* until(() => counts().idle === 0)
    const failure = yield* expectFailure(names(store), "down", 3500)
    expect(inspect(failure, { depth: 9 })).toMatch(
      /no host can be used: \S+ does not answer \(.+\), \S+ is a standby/
    )
    yield* Effect.promise(() => servers().primary().start())
    yield* eventually(names(store))
  })
})

describe("the durability of several hosts", () => {
  live("names settings, standbys and roles, and a host that does not answer", function* () {
    const [primary, standby] = [servers().primary().port, servers().standby().port]
    const { found, problems } = yield* PostgresDurability.run({
      url: yield* database([primary, standby, 1])
    })
    expect(found).toMatch(
      new RegExp(
        "^synchronous_commit = remote_apply, fsync = off, full_page_writes = off; " +
          `commits wait for standbys standby_${standby}; ` +
          `standby_${standby} \\(streaming, sync, \\d+ bytes behind\\); ` +
          `127.0.0.1:${primary} is the primary; 127.0.0.1:${standby} is a standby$`
      )
    )
    expect(problems).toEqual([
      expect.stringMatching(/^fsync = off/),
      expect.stringMatching(/^full_page_writes = off/),
      "127.0.0.1:1 does not answer (connect ECONNREFUSED 127.0.0.1:1)"
    ])
  })

  live("has no more than the names of standbys for a role that sees no more", function* () {
    const { port } = servers().primary()
    yield* Effect.promise(() =>
      LocalPostgres.administer(port, "CREATE ROLE plain LOGIN PASSWORD 'plain'")
    )
    const hosts = `127.0.0.1:${port},127.0.0.1:${servers().standby().port}`
    const url = Redacted.make(`postgres://plain:plain@${hosts}/postgres`)
    const { found } = yield* PostgresDurability.run({ url })
    expect(found).toMatch(
      /; standby_\d+ \(its state is visible to members of pg_monitor\); \S+ is the primary; \S+ is a standby$/
    )
  })
})

type Stores = Effect.Effect.Success<ReturnType<typeof PostgresStores.make>>

/** A proxy for new connections to a port that can be changed. */
const switchable = (to: number) =>
  Effect.gen(function* () {
    let target = to
    const sockets = new Set<Socket>()
    const server = createServer((caller) => {
      const callee = dial(target, "127.0.0.1")
      for (const socket of [caller, callee]) sockets.add(socket.on("error", () => {}))
      caller.pipe(callee)
      callee.pipe(caller)
    })
    yield* Effect.async<void>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.void))
    })
    const cut = () => {
      for (const socket of sockets) socket.destroy()
    }
    yield* Effect.addFinalizer(() => Effect.sync(() => server.close() && cut()))
    const address = server.address()
    return {
      port: typeof address === "object" && address ? address.port : 0,
      cut,
      switchTo: (port: number) => {
        target = port
      }
    }
  })

describe("one host, a proxy that led to a standby", () => {
  const operations: ReadonlyArray<{
    readonly operation: string
    readonly run: (stores: Stores) => Effect.Effect<unknown, StoreUnavailable>
  }> = [
    { operation: "add of a pet", run: (stores) => Context.get(stores, PetStore).add(pet("1")) },
    { operation: "change of keys", run: (stores) => Context.get(stores, ApiKeyStore).add(key) }
  ]
  it.scopedLive.each(operations)("is left by the first $operation that it refuses", ({ run }) =>
    Effect.gen(function* () {
      const proxy = yield* switchable(servers().primary().port)
      const url = yield* database([proxy.port])
      const stores = yield* PostgresStores.make(patient(url))
      proxy.switchTo(servers().standby().port)
      proxy.cut()
      const store = Context.get(stores, PetStore)
      const reads = [1, 2, 3, 4, 5].map((limit) => store.list({ limit: PageLimit.make(limit) }))
      yield* eventually(Effect.all(reads, { concurrency: "unbounded" }))
      yield* expectFailure(run(stores), "read-only", 30_000)
      proxy.switchTo(servers().primary().port)
      // Connections that are younger than a second are not replaced.
      yield* Effect.sleep("1100 millis")
      yield* run(stores)
    })
  )
})
