import { createHash } from "node:crypto"
import { join } from "node:path"
import { describe, expect } from "@effect/vitest"
import { Instant, KeyId } from "@petstore/access/ApiKey"
import { ApiKeyStore } from "@petstore/access/ApiKeyStore"
import { PetStore } from "@petstore/domain/PetStore"
import * as SqliteStores from "@petstore/store-sqlite/SqliteStores"
import { Context, Effect } from "effect"
import { connect, folder, limit, live, names, openStore, pet, setUp } from "./support/SqliteFile.ts"

const tables = `
  CREATE TABLE pets (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      name TEXT NOT NULL CHECK (name <> ''),
      category_id INTEGER NOT NULL,
      status TEXT CHECK (status IN ('available', 'pending', 'sold'))
    ) STRICT;
  CREATE INDEX pets_by_status ON pets (status) WHERE status IS NOT NULL;
`

/** A file as the first version left it, its last pet gone. */
const oldFile = Effect.gen(function* () {
  const filename = join(yield* folder, "old.db")
  const database = yield* connect(filename)
  database.pragma("journal_mode = WAL")
  database.exec(`
    CREATE TABLE "petstore_migrations" (
      migration_id integer PRIMARY KEY NOT NULL,
      created_at datetime NOT NULL DEFAULT current_timestamp,
      name VARCHAR(255) NOT NULL
    );
    INSERT INTO petstore_migrations (migration_id, name) VALUES (1, 'pets');
    ${tables}
    INSERT INTO pets (name, category_id, status) VALUES ('Rex', -1, NULL), ('Tom', 2, 'sold'), ('gone', 3, NULL);
    DELETE FROM pets WHERE name = 'gone';
  `)
  return { database, filename }
})

describe("a file of the first version", () => {
  live("keeps its pets, and its ids continue", function* () {
    const { filename } = yield* oldFile
    const store = yield* openStore({ filename })
    expect((yield* store.list({ limit })).pets).toEqual([
      { id: 1n, name: "Rex", categoryId: -1n },
      { id: 2n, name: "Tom", categoryId: 2n, status: "sold" }
    ])
    expect((yield* store.add(pet("new"))).id).toBe(4n)
  })

  live("has room for keys", function* () {
    const { database, filename } = yield* oldFile
    const keys = Context.get(yield* SqliteStores.make({ filename }), ApiKeyStore)
    expect(yield* keys.list).toEqual([])
    const done = database.prepare("SELECT name FROM petstore_migrations ORDER BY migration_id")
    const first = ["pets", "api_keys", "key_versions", "idempotency_keys"]
    expect(done.pluck().all().slice(0, first.length)).toEqual(first)
  })

  live("or a new one is migrated once when several open it together", function* () {
    const missing = join(yield* folder, "deep", "er", "pets.db")
    for (const filename of [(yield* oldFile).filename, missing]) {
      const opening = Array.from({ length: 4 }, () => SqliteStores.make({ filename }))
      const stores = yield* Effect.all(opening, { concurrency: "unbounded" })
      for (const store of stores) {
        expect(yield* names(Context.get(store, PetStore))).toEqual(
          filename === missing ? [] : ["Rex", "Tom"]
        )
        expect(yield* Context.get(store, ApiKeyStore).list).toEqual([])
      }
    }
  })

  live("stays as it is if one of the migrations fails", function* () {
    const { database, filename } = yield* oldFile
    database.exec("CREATE TABLE idempotency_keys (key TEXT)")
    const schema = database.prepare("SELECT sql FROM sqlite_master ORDER BY name")
    const before = schema.all()
    expect(yield* Effect.flip(openStore({ filename }))).toMatchObject({
      _tag: "StoreUnavailable",
      reason: "down"
    })
    expect(schema.all()).toEqual(before)
  })
})

describe("a file of the second version", () => {
  live("keeps its keys, and reports their changes from then on", function* () {
    const { database, filename } = yield* oldFile
    const event = (name: string) =>
      `CREATE TRIGGER api_keys_after_${name} AFTER ${name.toUpperCase()} ON api_keys
          BEGIN UPDATE api_key_changes SET count = count + 1; END;`
    database.exec(`
        CREATE TABLE api_keys (
          id TEXT PRIMARY KEY,
          name TEXT NOT NULL,
          digest TEXT NOT NULL UNIQUE,
          scopes TEXT NOT NULL,
          created INTEGER NOT NULL,
          expires INTEGER,
          retires INTEGER,
          revoked INTEGER,
          last_used INTEGER
        ) STRICT;
        CREATE TABLE api_key_changes (count INTEGER NOT NULL) STRICT;
        INSERT INTO api_key_changes VALUES (0);
        ${["insert", "update", "delete"].map(event).join("\n")}
        INSERT INTO petstore_migrations (migration_id, name) VALUES (2, 'api_keys');
        INSERT INTO api_keys (id, name, digest, scopes, created)
          VALUES ('aaaaaaaaaa', 'a', '${"a".repeat(64)}', 'pets:read', 1),
            ('bbbbbbbbbb', 'b', '${"b".repeat(64)}', 'pets:read', 2);
      `)
    const keys = Context.get(yield* SqliteStores.make({ filename }), ApiKeyStore)
    const before = yield* keys.changes(undefined)
    expect(before.keys.map(({ name }) => name)).toEqual(["a", "b"])
    yield* keys.revoke(KeyId.make("bbbbbbbbbb"), Instant.make(3))
    const changes = yield* keys.changes(before.version)
    expect(changes).toMatchObject({ keys: [{ name: "b", revoked: 3 }], isAll: false })
  })
})

live("the schema is the one that was released", function* () {
  const { other } = yield* setUp
  const schema = other.prepare("SELECT sql FROM sqlite_schema ORDER BY name").pluck().all()
  const text = schema.join("\n").replaceAll(/\s+/g, " ")
  // Another migration changes it. If one is edited, files of earlier versions are damaged.
  expect(createHash("sha256").update(text).digest("hex")).toBe(
    "c8cf52fd2dbdd8694c348f9007ab5d2a5147ba8c2a7cd2d99f6d86dcd70c4cbe"
  )
})

describe("a file of a later version", () => {
  /** A file in which a migration that this program does not have moved a table. */
  const laterFile = Effect.gen(function* () {
    const filename = join(yield* folder, "later.db")
    yield* Effect.scoped(Effect.flatMap(openStore({ filename }), (store) => store.add(pet("Rex"))))
    const database = yield* connect(filename)
    database.exec(`
      ALTER TABLE pets RENAME TO animals;
      CREATE TABLE pets (id INTEGER PRIMARY KEY, name TEXT, category_id INTEGER, status TEXT);
      INSERT INTO petstore_migrations (migration_id, name) VALUES (99, 'moved_pets');
    `)
    return { database, filename }
  })
  const incompatible = {
    _tag: "StoreUnavailable",
    reason: "incompatible",
    cause: {
      message: expect.stringMatching(/schema version 99 \(moved_pets\).* knows \d+ \(\w+\)/)
    }
  }

  live("is not opened, and stays as it is", function* () {
    const { database, filename } = yield* laterFile
    const schema = "SELECT sql FROM sqlite_master ORDER BY name"
    const before = database.prepare(schema).all()
    expect(yield* Effect.flip(openStore({ filename }))).toMatchObject(incompatible)
    expect(database.prepare(schema).all()).toEqual(before)
  })
})
