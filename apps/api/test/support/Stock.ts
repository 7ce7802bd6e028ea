/**
 * What a database holds, written and read without starting the program: for what a test only prepares or checks.
 * SQLite files are written directly, since the threads of its stores take almost as long as the program.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { type ApiKey, Instant, KeyName } from "@petstore/access/ApiKey"
import { ApiKeyStore } from "@petstore/access/ApiKeyStore"
import { KeyMaker } from "@petstore/access/KeyMaker"
import * as NodeKeyMaker from "@petstore/access/NodeKeyMaker"
import { scopes as contractScopes } from "@petstore/http-pets/PetStoreApi"
import * as PostgresStores from "@petstore/store-postgres/PostgresStores"
import * as SqliteStores from "@petstore/store-sqlite/SqliteStores"
import { Duration, Effect, Redacted } from "effect"
import { folder, postgresOf } from "./Folder.ts"
import { query, withDatabase } from "./Sqlite.ts"

/** The content of a new SQLite file. */
const empty = Effect.gen(function* () {
  const filename = join(yield* folder, "empty.db")
  yield* Effect.scoped(SqliteStores.make({ filename }))
  return readFileSync(filename)
}).pipe(Effect.scoped, Effect.orDie, Effect.cached, Effect.runSync)

/** The SQLite file of a folder's programs, or another in it; created if it does not exist. */
const fileOf = (path: string, name = "data/petstore.db") =>
  Effect.map(empty, (content) => {
    const file = join(path, name)
    mkdirSync(dirname(file), { recursive: true })
    if (!existsSync(file)) writeFileSync(file, content)
    return file
  })

/** Adds the pets of these NDJSON lines to a SQLite file. SQLite reads them: it takes a fraction of the time. */
export const addPets = (path: string, ndjson: string, name?: string): Effect.Effect<void> =>
  Effect.map(fileOf(path, name), (file) =>
    withDatabase(file, (database) => {
      const pets = `[${ndjson.trimEnd().replaceAll("\n", ",")}]`
      database
        .prepare(`
          INSERT INTO pets (id, name, category_id, status)
          SELECT value->>'id', value->>'name', value->>'categoryId', value->>'status' FROM json_each(?)
        `)
        .run(pets)
    })
  )

/** The names of all pets in a SQLite file, by ascending id. */
export const names = (path: string): Effect.Effect<ReadonlyArray<unknown>> =>
  Effect.map(fileOf(path), (file) => query(file, "SELECT name FROM pets ORDER BY id"))

/** Creates a key with all scopes, or these. */
export const createKey = (
  path: string,
  {
    expires,
    name = "ci",
    scopes = contractScopes
  }: {
    readonly expires?: Duration.DurationInput
    readonly name?: string
    readonly scopes?: ApiKey["scopes"]
  } = {}
) =>
  Effect.gen(function* () {
    const { digest, id, text } = yield* Effect.flatMap(KeyMaker, ({ make }) => make)
    const created = Instant.make(Date.now())
    const end = expires && { expires: Instant.make(created + Duration.toMillis(expires)) }
    const key: ApiKey = { id, name: KeyName.make(name), digest, scopes, created, ...end }
    yield* addKey(path, key)
    return { ...key, key: Redacted.value(text) }
  }).pipe(Effect.provide(NodeKeyMaker.layer))

const addKey = (path: string, key: ApiKey): Effect.Effect<unknown> => {
  const url = postgresOf(path)
  if (url !== undefined) {
    // The machine of the tests may be busy.
    const stores = PostgresStores.layer({ url: Redacted.make(url), connectTimeout: "1 minute" })
    const added = Effect.flatMap(ApiKeyStore, (store) => store.add(key))
    return Effect.orDie(Effect.provide(added, stores))
  }
  const { created, digest, expires = null, id, name, scopes } = key
  return Effect.map(fileOf(path), (file) =>
    withDatabase(file, (database) =>
      database
        .prepare(
          "INSERT INTO api_keys (id, name, digest, scopes, created, expires) VALUES (?, ?, ?, ?, ?, ?)"
        )
        .run(id, name, digest, scopes.join(" "), created, expires)
    )
  )
}
