/** The thread that writes: a sync or another process's lock holds up nobody but this thread. */
import { parentPort, workerData } from "node:worker_threads"
import Database from "better-sqlite3"

/** What the thread is started with. */
export interface Settings {
  readonly filename: string
  readonly busyMillis: number
}

/** A pet to insert: name, category and status. */
export type Row = readonly [name: string, categoryId: bigint, status: string | null]

/** What became of a row: the id that it was given, or the error that kept it out. */
export type Outcome = bigint | Failure

/** An error as it travels between threads, which would lose its code otherwise. */
export interface Failure {
  readonly message: string
  readonly code: string | undefined
}

const { filename, busyMillis }: Settings = workerData

const database = new Database(filename, { timeout: busyMillis })
database.defaultSafeIntegers(true)
database.pragma("journal_mode = WAL")
database.pragma("synchronous = FULL")
if (database.pragma("synchronous", { simple: true }) !== 2n) {
  throw new Error("SQLite refuses synchronous = FULL")
}

const begin = database.prepare("BEGIN IMMEDIATE")
const insert = database.prepare("INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)")
const commit = database.prepare("COMMIT")
const rollback = database.prepare("ROLLBACK")

/** One transaction and one sync for all the rows, or an error and none of them. */
const writeTogether = (rows: ReadonlyArray<Row>): ReadonlyArray<bigint> => {
  try {
    begin.run()
    const ids = rows.map((row) => BigInt(insert.run(row).lastInsertRowid))
    commit.run()
    return ids
  } catch (error) {
    if (database.inTransaction) rollback.run()
    throw error
  }
}

/** Rows that cannot be written together are tried one by one, so that only a bad one fails. */
const write = (rows: ReadonlyArray<Row>): ReadonlyArray<Outcome> => {
  try {
    return writeTogether(rows)
  } catch (error) {
    const failure = failureOf(error)
    // A lock that did not open for the batch would hold up each of its rows as long again.
    const isBusy = failure.code?.startsWith("SQLITE_BUSY") === true
    if (rows.length === 1 || isBusy) return rows.map(() => failure)
    return rows.flatMap((row) => write([row]))
  }
}

const failureOf = (error: unknown): Failure => ({
  message: error instanceof Error ? error.message : String(error),
  code: error instanceof Database.SqliteError ? error.code : undefined
})

parentPort?.on("message", (rows: ReadonlyArray<Row> | "close") => {
  if (rows === "close") {
    database.close()
    parentPort?.close()
  } else {
    parentPort?.postMessage(write(rows))
  }
})
parentPort?.postMessage("ready")
