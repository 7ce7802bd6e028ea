/** A look into database files past the program, and a hand in them. */
import { closeSync, openSync, statSync, writeSync } from "node:fs"
import { createRequire } from "node:module"

/** As much of the driver as tests need. */
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

/** Does something with a file, and closes it. */
export const withDatabase = <A>(file: string, use: (database: Database) => A): A => {
  const database = new Driver(file)
  try {
    return use(database)
  } finally {
    database.close()
  }
}

/** The first column of what a query finds. */
export const query = (file: string, sql: string): ReadonlyArray<unknown> =>
  withDatabase(file, (database) => database.prepare(sql).pluck().all())

/** Overwrites parts of many pages from there on, as a failing disk does. */
export const damage = (file: string, from = 4096 * 20 + 100): void => {
  const { size } = statSync(file)
  const handle = openSync(file, "r+")
  for (let at = from; at < size; at += 4096 * 3) {
    writeSync(handle, Buffer.alloc(2000, 0xa5), 0, 2000, at)
  }
  closeSync(handle)
}
