/** The steps of docs/scaling.md that move a service to another database. */
import { expect } from "@effect/vitest"
import * as SharedPostgres from "@petstore/local-postgres/support/SharedPostgres"
import { Effect } from "effect"
import { folder, live } from "../support/Folder.ts"
import { run, serve } from "../support/Process.ts"

const key = "the-key-of-the-tests"
const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" }

const post = (url: string, name: string, more = {}) =>
  fetch(`${url}/v1/pets`, {
    method: "POST",
    headers: { ...headers, ...more },
    body: JSON.stringify({ name, categoryId: 1 })
  })

live("a service that moves to PostgreSQL goes on reading and loses nothing", function* () {
  const path = yield* folder
  const postgres = yield* SharedPostgres.database
  const environment = { PETSTORE_API_KEYS: key }
  const copy = (...words: ReadonlyArray<string>) =>
    run(path, ["copy", ...words, "sqlite:data/petstore.db", postgres])
  const { program: old, url: oldUrl } = yield* serve(path, environment)
  const acknowledged: Array<string> = []
  const write = Effect.suspend(() => {
    const name = `pet ${acknowledged.length}`
    return Effect.map(
      Effect.tryPromise(() => post(oldUrl, name)),
      ({ status }) => status === 201 && acknowledged.push(name)
    )
  })
  // Ends when the old server does. With pauses, so that a busy machine copies more than is written.
  const writing = yield* Effect.fork(
    Effect.ignore(Effect.forever(Effect.delay(write, "10 millis")))
  )
  // 1. Copy while the service is in use.
  expect(yield* copy()).toMatchObject({ code: 0 })
  const copied = acknowledged.length
  // 2. Serve the same file read-only: reads go on.
  const { program: readOnly, url: readOnlyUrl } = yield* serve(path, {
    ...environment,
    PETSTORE_READ_ONLY: "true"
  })
  yield* Effect.promise(() => old.stop("SIGTERM"))
  yield* writing
  expect(acknowledged.length).toBeGreaterThan(copied)
  expect(readOnly.stdout).toMatch(/serving http:\S+ read-only from sqlite:/)
  const list = yield* Effect.promise(() => fetch(`${readOnlyUrl}/v1/pets`, { headers }))
  expect(list.status).toBe(200)
  for (const more of [{}, { "Idempotency-Key": "key" }]) {
    const refused = yield* Effect.promise(() => post(readOnlyUrl, "too late", more))
    expect(refused.status).toBe(503)
    expect(refused.headers.get("retry-after")).toBe("30")
    expect(yield* Effect.promise(() => refused.json())).toMatchObject({
      code: "unavailable",
      message: "the store is read-only"
    })
  }
  const ready = yield* Effect.promise(() => fetch(`${readOnlyUrl}/readyz`))
  expect(ready.status).toBe(200)
  // 3. Copy the rest.
  const rest = yield* copy("--quick")
  expect(rest.stderr).toMatch(/^copied \d+ pets? and 0 keys; the \d+ pets? after \d+ are/)
  // 4. Serve from the new database.
  const { url: nextUrl } = yield* serve(path, { ...environment, DATABASE_URL: postgres })
  yield* Effect.promise(() => readOnly.stop("SIGTERM"))
  expect((yield* Effect.promise(() => post(nextUrl, "the first there"))).status).toBe(201)
  // 5. Everything is there.
  const { stdout } = yield* run(path, ["export", "-", "--database", postgres])
  const names = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).name)
  expect(names).toEqual([...acknowledged, "the first there"])
})
