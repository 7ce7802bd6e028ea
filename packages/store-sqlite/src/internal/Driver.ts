/**
 * The driver of SQLite, which no other module imports: to use another one is to change this file. Rows are arrays, and
 * integers are a `bigint`. Threads load this module, so it does not import Effect.
 */
import { readFileSync } from "node:fs"
import { findPackageJSON } from "node:module"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import Sqlite from "better-sqlite3"

/** A column of a row. */
export type Value = string | bigint | null

type Row = ReadonlyArray<Value>

/** A prepared statement. */
export interface Statement<Parameters extends Array<unknown>, R extends Row> {
  readonly all: (...parameters: Parameters) => Array<R>
  readonly get: (...parameters: Parameters) => R | undefined
  readonly iterate: (...parameters: Parameters) => Iterable<R>
  readonly run: (...parameters: Parameters) => {
    readonly changes: number
    readonly lastInsertRowid: number | bigint
  }
}

/** An open file. */
export interface Database {
  readonly name: string
  readonly isInTransaction: () => boolean
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
export type Options = Pick<Sqlite.Options, "fileMustExist" | "readonly" | "timeout">

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
    isInTransaction: () => database.inTransaction,
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

/** An error as the driver's own, for what SQLite does not detect. */
export const failure = (message: string, code: string): Error =>
  Object.assign(new Error(message), { code })

/** The code of the error that no id is left, as SQLite would write it if it had one. */
export const noIdCode = "SQLITE_FULL_NO_ID"

/** SQLite's code of an error or of one of its causes, such as `SQLITE_BUSY`; empty when there is none. */
export const codeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return ""
  const code = "code" in error ? String(error.code) : ""
  return code.startsWith("SQLITE_") ? code : codeOf(error.cause)
}

/** Whether an error says that another process holds the lock. */
export const isBusy = (error: unknown): boolean => /^SQLITE_(?:BUSY|LOCKED)/.test(codeOf(error))

/** What an error means. */
export const reasonOf = (error: unknown): StoreUnavailable["reason"] => {
  if (isBusy(error)) return "busy"
  const code = codeOf(error)
  // A full disk, a quota or a file-size limit. A failing disk is reported by other codes, such as for a sync.
  if (/^SQLITE_(?:FULL|IOERR_SHMSIZE|IOERR_WRITE)$/.test(code) || code === noIdCode) return "full"
  // A read that ends too early is one of a file that was truncated.
  if (/^SQLITE_(?:CORRUPT|NOTADB|IOERR_SHORT_READ)/.test(code)) return "damaged"
  // SQLite also says this of a file that was moved.
  if (/^SQLITE_READONLY(?!_DBMOVED)/.test(code)) return "read-only"
  return "down"
}

/** Whether an error says that the driver has no binary, or one that Node cannot load. */
export const isNotLoaded = (error: Error): boolean =>
  "code" in error && /^(?:ERR_DLOPEN_FAILED|MODULE_NOT_FOUND)$/.test(String(error.code))

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
