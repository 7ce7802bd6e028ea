/**
 * What a database holds, written and read without starting the program: for what a test only prepares or checks.
 * SQLite files are written directly, since the threads of its stores take almost as long as the program.
 */

import { once } from "node:events"
import {
  closeSync,
  createWriteStream,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync
} from "node:fs"
import { createRequire } from "node:module"
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

/** NDJSON lines without ids. */
export const lines = (count: number, name = "pet"): string =>
  Array.from({ length: count }, (_, index) =>
    JSON.stringify({ name: `${name} ${index + 1}`, categoryId: index % 9 })
  ).join("\n") + (count > 0 ? "\n" : "")

const statuses = ["available", "pending", "sold"]

/** Writes a file of pets without holding them all in memory. */
export const writeFile = async (file: string, count: number, name = "pet"): Promise<void> => {
  const output = createWriteStream(file)
  for (let from = 1; from <= count; from += 10_000) {
    const ids = Array.from({ length: Math.min(10_000, count - from + 1) }, (_, at) => from + at)
    const text = ids.map((id) =>
      JSON.stringify({ name: `${name} ${id}`, categoryId: id % 1000, status: statuses[id % 3] })
    )
    if (!output.write(`${text.join("\n")}\n`)) await once(output, "drain")
  }
  output.end()
  await once(output, "close")
}

/** Names that terminals, tables and parsers can mishandle. */
export const oddNames: ReadonlyArray<string> = [
  ...['said "woof"', "comma, comma", "two\nlines", "carriage\rreturn", "both\r\nends\r\n", "\r"],
  ...[" leading and trailing ", "\u{1F415}\u200d\u{1F9BA} 犬", "=1+1", "\ufeffmarked", '"'],
  ...['""",\n"', "tab\tbed", "\u001b[2J\u001b]0;title\u0007", "\u2028\u2029\u0085", "null"],
  ...["id,name,categoryId,status", "-", "\\u{9}"]
]

/** The part of the driver that tests use. */
export interface Database {
  readonly exec: (sql: string) => void
  readonly unsafeMode: () => Database
  readonly prepare: (sql: string) => {
    readonly run: (...values: ReadonlyArray<unknown>) => unknown
    readonly pluck: () => { readonly all: () => ReadonlyArray<unknown> }
  }
  readonly close: () => void
}

const Driver: new (file: string, options?: { readonly readonly?: boolean }) => Database =
  createRequire(import.meta.url)("better-sqlite3")

/** Opens a file, uses it and closes it. */
export const withDatabase = <A>(file: string, use: (database: Database) => A): A => {
  const database = new Driver(file)
  try {
    return use(database)
  } finally {
    database.close()
  }
}

/** Takes the schema of a file back to the first version, with its pets. */
export const toFirstVersion = (file: string): void =>
  withDatabase(file, (database) => {
    const tables = database
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
      .pluck()
      .all()
    for (const table of tables.map(String))
      if (!/^(?:pets|petstore_migrations|sqlite_.*)$/.test(table))
        database.exec(`DROP TABLE ${table}`)
    database.exec(`
      DROP INDEX pets_by_status;
      ALTER TABLE pets RENAME TO newer_pets;
      CREATE TABLE pets (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL CHECK (name <> ''),
        category_id INTEGER NOT NULL,
        status TEXT CHECK (status IN ('available', 'pending', 'sold'))
      ) STRICT;
      INSERT INTO pets SELECT id, name, category_id, status FROM newer_pets;
      DROP TABLE newer_pets;
      CREATE INDEX pets_by_status ON pets (status) WHERE status IS NOT NULL;
      DELETE FROM petstore_migrations WHERE migration_id > 1;
    `)
  })

/** The first column of a query's rows. */
export const query = (file: string, sql: string): ReadonlyArray<unknown> =>
  withDatabase(file, (database) => database.prepare(sql).pluck().all())

/** Overwrites parts of many pages from a position on, like a failing disk. */
export const damage = (file: string, from = 4096 * 20 + 100): void => {
  const { size } = statSync(file)
  const handle = openSync(file, "r+")
  for (let at = from; at < size; at += 4096 * 3) {
    writeSync(handle, Buffer.alloc(2000, 0xa5), 0, 2000, at)
  }
  closeSync(handle)
}

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
