/** Direct access to database files. */
import { closeSync, openSync, statSync, writeSync } from "node:fs"
import { createRequire } from "node:module"

/** The part of the driver that tests use. */
export interface Database {
  readonly exec: (sql: string) => void
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

/** The same, with a use that takes a while. */
export const withDatabaseFor = async (
  file: string,
  use: (database: Database) => Promise<void>
): Promise<void> => {
  const database = new Driver(file)
  await use(database).finally(() => database.close())
}

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
