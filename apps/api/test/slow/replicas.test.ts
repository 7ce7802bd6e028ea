/** Several servers on one PostgreSQL database. */
import { describe, expect, it } from "@effect/vitest"
import { connect, ours } from "@petstore/local-postgres/support/Session"
import * as SharedPostgres from "@petstore/local-postgres/support/SharedPostgres"
import { Effect, Exit } from "effect"
import { add, added, all } from "../support/Calls.ts"
import { folder } from "../support/Folder.ts"
import { start } from "../support/Process.ts"

const key = "the-key-of-the-tests"
const accepting = { PETSTORE_API_KEYS: key }

/** So many servers on a database, started together. */
const replicas = (
  database: string,
  count: number,
  environment: Readonly<Record<string, string>> = accepting
) =>
  Effect.gen(function* () {
    const path = yield* folder
    const programs = yield* Effect.replicateEffect(
      start(path, {
        DATABASE_URL: database,
        // A connection must not be closed at the moment when a client uses it again.
        PETSTORE_KEEP_ALIVE_SECONDS: "60",
        ...environment
      }),
      count
    )
    const urls = yield* Effect.promise(() => Promise.all(programs.map((one) => one.url())))
    return { programs, urls }
  })

describe("four replicas that start together on an empty database", () => {
  it.scopedLive("create its tables and the first key once", () =>
    Effect.gen(function* () {
      const database = yield* SharedPostgres.database
      const { programs, urls } = yield* replicas(database, 4, { PETSTORE_PRINT_FIRST_KEY: "true" })
      const printed = () =>
        programs.flatMap(({ stderr }) => /^ {2}(pet_\w+)$/m.exec(stderr)?.[1] ?? [])
      while (printed().length === 0) yield* Effect.sleep("5 millis")
      const [first = ""] = printed()
      const pets = yield* Effect.forEach(urls, (url, nth) =>
        add(url, first, `pet ${nth}`).pipe(
          // The others read a new key within a second.
          Effect.delay("50 millis"),
          Effect.repeat({ until: ({ status }) => status !== 401 }),
          Effect.map(added)
        )
      )
      for (const url of urls) expect(yield* all(url, first)).toEqual(pets)
      expect(printed().length).toBe(1)
      for (const { stdout } of programs) expect(stdout).not.toMatch(/"level":"(?:warn|error)"/)
    })
  )
})

describe("a replica of an older version", () => {
  it.scopedLive("does not start on a newer schema, unless that is marked as compatible", () =>
    Effect.gen(function* () {
      const database = yield* SharedPostgres.database
      const { urls } = yield* replicas(database, 1)
      const session = yield* connect(database)
      yield* Effect.promise(() =>
        session.query("INSERT INTO petstore_migrations VALUES (99, 'moved_pets', FALSE)")
      )
      const refused = yield* start(yield* folder, { DATABASE_URL: database })
      yield* Effect.promise(() => refused.until(/cannot be used/))
      const { code, stderr } = yield* Effect.promise(() => refused.ended)
      expect(stderr).toMatch(
        /^DATABASE_URL postgres:\S+ cannot be used \(it has schema version 99 \(moved_pets\), this program knows \d+ \(\w+\)\): run the newest version of petstore, or set DATABASE_URL to another database\n$/
      )
      expect(code).toBe(3)
      yield* Effect.promise(() =>
        session.query("UPDATE petstore_migrations SET is_compatible = TRUE")
      )
      const { urls: others } = yield* replicas(database, 1)
      for (const url of [...urls, ...others]) added(yield* add(url, key, "Rex"))
    })
  )
})

describe("a replica that is stopped in the middle of writes", () => {
  it.scopedLive("finishes what it accepted, closes its connections and exits with 0", () =>
    Effect.gen(function* () {
      const database = yield* SharedPostgres.database
      const { programs, urls } = yield* replicas(database, 2)
      const [url = "", other = ""] = urls
      const acknowledged: Array<string> = []
      /** Adds pets until the server accepts none. */
      const write = (writer: number, nth = 0): Effect.Effect<void> =>
        Effect.exit(add(url, key, `${writer}/${nth}`)).pipe(
          Effect.flatMap((exit) => {
            if (Exit.isFailure(exit)) return Effect.void
            acknowledged.push(added(exit.value).name)
            if (acknowledged.length === 200) programs[0]?.process.kill("SIGTERM")
            return write(writer, nth + 1)
          })
        )
      const writers = Array.from({ length: 32 }, (_, writer) => write(writer))
      yield* Effect.all(writers, { concurrency: "unbounded" })
      const ended = yield* Effect.promise(async () => programs[0]?.ended)
      expect(ended).toMatchObject({ code: 0, signal: null, stderr: "" })
      const names = (yield* all(other, key)).map(({ name }) => name)
      expect(names.toSorted()).toEqual(acknowledged.toSorted())
      yield* Effect.promise(() => programs[1]?.stop("SIGTERM") ?? Promise.reject())
      const session = yield* connect(database)
      yield* Effect.promise(() => session.query(`SELECT 1 ${ours}`)).pipe(
        Effect.delay("20 millis"),
        Effect.repeat({ until: ({ rowCount }) => rowCount === 0, times: 500 }),
        Effect.map(({ rowCount }) => expect(rowCount).toBe(0))
      )
    })
  )
})
