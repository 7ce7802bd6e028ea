/** The thread that writes: a sync or another process's lock holds up nobody but this thread. */
import { statSync } from "node:fs"
import { parentPort, workerData } from "node:worker_threads"
import Database from "better-sqlite3"

/** What the thread is started with. */
export interface Settings {
  readonly filename: string
  readonly busyMillis: number
  /** Set to 1 when the thread is to wait for no lock any more: it cannot be told otherwise then. */
  readonly giveUp: Int32Array
}

/** What the thread says when it is ready: how the file is written, read back. */
export interface Pragmas {
  readonly journalMode: unknown
  readonly synchronous: unknown
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

const { filename, busyMillis, giveUp }: Settings = workerData

/** The longest wait inside SQLite, where nothing reaches this thread. */
const longestWait = 100

const database = new Database(filename, { timeout: Math.min(busyMillis, longestWait) })
database.defaultSafeIntegers(true)
database.pragma("journal_mode = WAL")
database.pragma("synchronous = FULL")
// SQLite may take a pragma back at the first use of the file, so they are read after one.
database.prepare("SELECT id FROM pets LIMIT 1").get()
const pragmas: Pragmas = {
  journalMode: database.pragma("journal_mode", { simple: true }),
  synchronous: database.pragma("synchronous", { simple: true })
}
if (pragmas.journalMode !== "wal" || pragmas.synchronous !== 2n) {
  throw new Error("SQLite does not keep to journal_mode = WAL and synchronous = FULL here")
}

/** A file that was moved or deleted can be written still, but nobody will ever find it again. */
const inode = statSync(filename).ino
const checkInPlace = (): void => {
  if (statSync(filename, { throwIfNoEntry: false })?.ino === inode) return
  throw new Database.SqliteError("the file is no longer in its place", "SQLITE_READONLY_DBMOVED")
}

const begin = database.prepare("BEGIN IMMEDIATE")
const insert = database.prepare("INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)")
const commit = database.prepare("COMMIT")
const rollback = database.prepare("ROLLBACK")

const isBusy = (error: unknown): boolean =>
  error instanceof Database.SqliteError && error.code.startsWith("SQLITE_BUSY")

/** Takes the lock for writing, or gives up when others have held it for so long. */
const beginWithin = (millis: number): void => {
  const start = performance.now()
  while (true) {
    try {
      begin.run()
      return
    } catch (error) {
      const isOver = performance.now() - start >= millis || Atomics.load(giveUp, 0) === 1
      if (!isBusy(error) || isOver) throw error
    }
  }
}

/** One transaction and one sync for all the rows, or an error and none of them. */
const writeTogether = (rows: ReadonlyArray<Row>): ReadonlyArray<bigint> => {
  try {
    checkInPlace()
    beginWithin(busyMillis)
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
    if (rows.length === 1 || isBusy(error)) return rows.map(() => failure)
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
parentPort?.postMessage(pragmas)
