/**
 * The driver of SQLite, which no other module imports: to use another one is to change this file, and `DriverError`. Rows are
 * arrays, and integers are a `bigint`. Threads load this module, so it does not import Effect.
 */
import { readFileSync } from "node:fs"
import { findPackageJSON } from "node:module"
import Sqlite from "better-sqlite3"

/** A column of a row. */
export type Value = string | bigint | null

type Row = ReadonlyArray<Value>

/** A prepared statement. */
export interface Statement<Parameters extends Array<unknown>, R extends Row> {
  readonly all: (...parameters: Parameters) => Array<R>
  readonly get: (...parameters: Parameters) => R | undefined
  readonly run: (...parameters: Parameters) => {
    readonly changes: number
    readonly lastInsertRowid: number | bigint
  }
}

/** An open file. */
export interface Database {
  readonly name: string
  readonly prepare: <R extends Row, Parameters extends Array<unknown> = Array<unknown>>(
    sql: string
  ) => Statement<Parameters, R>
  /** Executes statements without parameters and rows. */
  readonly exec: (sql: string) => void
  /** The first column of the first row that a statement returns, such as the value of a pragma. */
  readonly value: (sql: string) => Value | undefined
  /** Commits what a function does, or rolls it back if it throws. */
  readonly transaction: <A>(body: () => A, begin?: "BEGIN" | "BEGIN IMMEDIATE") => A
  /** Copies the file in parts, and calls back before each, with what is done, from 0 to 1. */
  readonly backup: (to: string, onPart: (done: number) => void) => Promise<unknown>
  readonly close: () => void
}

/** How to open a file. */
export interface Options {
  readonly fileMustExist?: boolean
  readonly readonly?: boolean
  readonly timeout?: number
}

const pagesAtOnce = 500

/** Opens a file. */
export const open = (filename: string, options: Options = {}): Database => {
  const database = new Sqlite(filename, options)
  database.defaultSafeIntegers(true)
  const prepare = <R extends Row, Parameters extends Array<unknown>>(sql: string) => {
    const statement = database.prepare<Parameters, R>(sql)
    return statement.reader ? statement.raw() : statement
  }
  const exec = (sql: string): void => void database.exec(sql)
  return {
    name: database.name,
    prepare,
    exec,
    value: (sql) => prepare<Row, []>(sql).get()?.[0],
    transaction: (body, begin = "BEGIN") => {
      exec(begin)
      try {
        const result = body()
        exec("COMMIT")
        return result
      } catch (error) {
        if (database.inTransaction) exec("ROLLBACK")
        throw error
      }
    },
    backup: (to, onPart) =>
      database.backup(to, {
        progress: ({ remainingPages, totalPages }) => {
          onPart(1 - remainingPages / totalPages)
          return pagesAtOnce
        }
      }),
    close: () => void database.close()
  }
}

/**
 * Throws if Effect's client, which runs migrations, loads another copy of SQLite than this module: in one process they do not
 * know of each other's locks. A bundle has one copy.
 */
export const checkCopies = (from: string): void => {
  const name = "better-sqlite3"
  const own = find(name, from)
  const client = find("@effect/sql-sqlite-node", from)
  if (own === undefined || client === undefined || find(name, client) === own) return
  const { version } = JSON.parse(readFileSync(own, "utf8"))
  throw new Error(
    `there are two copies of SQLite, which do not know of each other's locks: add "overrides": { "${name}": "${version}" } ` +
      "to your package.json, remove node_modules and the lock file, and install again"
  )
}

const find = (name: string, from: string): string | undefined => {
  try {
    return findPackageJSON(name, from)
  } catch {
    return undefined
  }
}
