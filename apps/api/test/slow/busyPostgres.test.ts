/** A server that gets no connection to PostgreSQL, or loses the one that it uses. */
import { describe, expect, it } from "@effect/vitest"
import { connect, ours, terminate, untilBlocked } from "@petstore/local-postgres/support/Session"
import * as SharedPostgres from "@petstore/local-postgres/support/SharedPostgres"
import * as StallingProxy from "@petstore/local-postgres/support/StallingProxy"
import { Effect, Fiber } from "effect"
import { type Answer, add, all, call, firstPage } from "../support/Calls.ts"
import { folder } from "../support/Folder.ts"
import { start } from "../support/Program.ts"
import { expectCalm } from "../support/ServerLog.ts"

const key = "the-key-of-the-tests"

/** A server with a small pool, behind a proxy, and another connection to its database. */
const serving = (poolSize: number) =>
  Effect.gen(function* () {
    const database = yield* SharedPostgres.database
    const proxy = yield* StallingProxy.make(SharedPostgres.port())
    const proxied = new URL(database)
    proxied.port = String(proxy.port)
    const program = yield* start(yield* folder, {
      DATABASE_URL: proxied.href,
      PETSTORE_API_KEYS: key,
      PETSTORE_KEEP_ALIVE_SECONDS: "60",
      PETSTORE_POOL_SIZE: String(poolSize)
    })
    const url = yield* Effect.promise(() => program.url())
    const other = yield* connect(database)
    const run = (sql: string) => Effect.promise(async () => (await other.query(sql)).rows)
    const list = call(url + firstPage, key)
    const ready = call(`${url}/readyz`, key)
    const write = (name: string) => add(url, key, name)

    /**
     * Expects that requests succeed, at the latest when the connections that were in use have been given up, and that
     * there are no more connections than there may be. If the only one was lost, none would succeed.
     */
    const expectHealthy = Effect.gen(function* () {
      const statuses = together(many(5, list), many(5, write("healthy"))).pipe(
        Effect.map((answers) => answers.flat().map(({ status }) => status)),
        Effect.repeat({ until: (found) => Math.max(...found) < 300, times: 10 })
      )
      expect(new Set(yield* statuses)).toEqual(new Set([200, 201]))
      expect((yield* ready).status).toBe(200)
      // Keys are read on one more.
      expect((yield* run(`SELECT 1 ${ours}`)).length).toBeLessThanOrEqual(poolSize + 1)
    })
    return { expectHealthy, list, other, program, proxy, ready, run, url, write }
  })

/** So many at once. */
const many = (count: number, called: Effect.Effect<Answer>) =>
  Effect.replicateEffect(called, count, { concurrency: "unbounded" })

const together = <A, B>(one: Effect.Effect<A>, other: Effect.Effect<B>) =>
  Effect.zip(one, other, { concurrent: true })

/** Expects only 503 with Retry-After, within twice the time that is promised: the machine may be busy. */
const expectUnavailable = (answers: ReadonlyArray<Answer>, promised: number) => {
  for (const { body, millis, retryAfter, status } of answers) {
    expect([status, retryAfter, body]).toEqual([503, "1", expect.anything()])
    expect(millis).toBeLessThan(2 * promised)
  }
}

describe.concurrent("a server whose connections are all in use", () => {
  for (const poolSize of [1, 2]) {
    it.scopedLive(`answers 503 in time, and recovers, with a pool of ${poolSize}`, () =>
      Effect.gen(function* () {
        const server = yield* serving(poolSize)
        const { expectHealthy, list, program, ready, run, write } = server
        yield* run("BEGIN; LOCK TABLE pets")
        const holding = yield* Effect.fork(many(poolSize, list))
        yield* untilBlocked(server.other)
        const [[lists, adds], probes] = yield* together(
          together(many(10, list), many(10, write("refused"))),
          many(2, ready)
        )
        const held = yield* Fiber.join(holding)
        // On a slow machine some wait for a connection, get one after all, and then wait for the lock.
        expectUnavailable([...lists, ...adds, ...probes, ...held], 3500)
        yield* run("ROLLBACK")
        yield* expectHealthy
        expectCalm(program)
      })
    )
  }
})

describe.concurrent("a server whose backends are terminated within requests", () => {
  it.scopedLive("answers 503 or what is right, and the next requests get others", () =>
    Effect.gen(function* () {
      const { expectHealthy, list, other, program, run, url, write } = yield* serving(1)
      yield* run("BEGIN; LOCK TABLE pets")
      const requests = yield* Effect.fork(together(many(5, list), many(5, write("perhaps"))))
      yield* untilBlocked(other)
      yield* run(terminate)
      yield* run("ROLLBACK")
      const [lists, adds] = yield* Fiber.join(requests)
      const failed = [...lists, ...adds].filter(({ status }) => status > 201)
      expect(failed.length).toBeGreaterThan(0)
      expectUnavailable(failed, 3500)
      const kept = (yield* all(url, key)).filter(({ name }) => name === "perhaps")
      expect(kept.length).toBe(adds.filter(({ status }) => status === 201).length)
      yield* expectHealthy
      expectCalm(program)
    })
  )
})

describe.concurrent("a server whose connections go silent", () => {
  it.scopedLive("answers 503 in time, recovers when they are back, and stops without them", () =>
    Effect.gen(function* () {
      const { expectHealthy, list, program, proxy, ready, write } = yield* serving(1)
      yield* expectHealthy
      proxy.stall()
      const [requests, probes] = yield* together(
        together(many(5, list), many(5, write("lost"))),
        many(2, ready)
      )
      // Those that have a connection wait as long as a statement may take, the others for a connection.
      expectUnavailable([...requests.flat(), ...(yield* many(5, list))], 7000)
      expectUnavailable(probes, 2000)
      proxy.resume()
      yield* expectHealthy
      expectCalm(program)
      proxy.stall()
      expect(yield* Effect.promise(() => program.stop("SIGTERM"))).toMatchObject({ code: 0 })
    })
  )
})
