/** Direct access to database files. */
import { closeSync, openSync, statSync, writeSync } from "node:fs"
import { createRequire } from "node:module"

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
