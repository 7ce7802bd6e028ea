/** A PostgreSQL whose connections go silent, or take long to be made. */
import { expect } from "@effect/vitest"
import { slowly } from "@petstore/local-postgres/support/Listener"
import { connect, ours } from "@petstore/local-postgres/support/Session"
import * as SharedPostgres from "@petstore/local-postgres/support/SharedPostgres"
import * as StallingProxy from "@petstore/local-postgres/support/StallingProxy"
import { Effect } from "effect"
import { type Answer, add, call, firstPage } from "../support/Calls.ts"
import { folder, live } from "../support/Folder.ts"
import { run, serve } from "../support/Program.ts"
import { expectCalm } from "../support/ServerLog.ts"

const key = "the-key-of-the-tests"

/** A server with one connection, behind a proxy, and another connection to its database. */
const serving = Effect.gen(function* () {
  const database = yield* SharedPostgres.database
  const proxy = yield* StallingProxy.make(SharedPostgres.port())
  const proxied = new URL(database)
  proxied.port = String(proxy.port)
  const { program, url } = yield* serve(yield* folder, {
    DATABASE_URL: proxied.href,
    PETSTORE_API_KEYS: key,
    PETSTORE_KEEP_ALIVE_SECONDS: "60",
    PETSTORE_POOL_SIZE: "1"
  })
  const other = yield* connect(database)
  const list = call(url + firstPage, key)
  const ready = call(`${url}/readyz`, key)
  const write = (name: string) => add(url, key, name)

  /**
   * Expects that requests succeed once the connections that were in use have been given up, and that there are no more
   * connections than there may be. If the only one was lost, none would succeed.
   */
  const expectHealthy = Effect.gen(function* () {
    const statuses = together(many(5, list), many(5, write("healthy"))).pipe(
      Effect.map((answers) => answers.flat().map(({ status }) => status)),
      Effect.repeat({ until: (found) => Math.max(...found) < 300, times: 10 })
    )
    expect(new Set(yield* statuses)).toEqual(new Set([200, 201]))
    expect((yield* ready).status).toBe(200)
    const { rows } = yield* Effect.promise(() => other.query(`SELECT 1 ${ours}`))
    // Keys are read on one more.
    expect(rows.length).toBeLessThanOrEqual(2)
  })
  return { expectHealthy, list, program, proxy, ready, write }
})

/** This many at once. */
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

live("a server whose connections go silent answers 503, and recovers", function* () {
  const { expectHealthy, list, program, proxy, ready, write } = yield* serving
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
  // Which of the two comes first depends on whether a request waits for an answer or for a connection.
  const again = /works again; it was (?:busy|down) for \d+ s, and \d\d+ req/
  yield* Effect.promise(() => program.until(again))
  expectCalm(program)
  proxy.stall()
  expect(yield* Effect.promise(() => program.stop("SIGTERM"))).toMatchObject({ code: 0 })
})

live("a command waits longer for a slow PostgreSQL than a request does", function* () {
  const path = yield* folder
  const database = new URL(yield* SharedPostgres.database)
  // Longer than a request would wait for a connection.
  database.port = String(yield* slowly(SharedPostgres.port(), 2000))
  const imported = yield* run(path, ["import", "-", "--format", "ndjson"], {
    environment: { DATABASE_URL: database.href },
    stdin: '{"name":"Rex","categoryId":2}'
  })
  expect(imported).toMatchObject({ code: 0, stderr: "imported 1 pet\n" })
})
