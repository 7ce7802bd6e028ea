/**
 * The greatest id that a file has assigned, also to a pet that is gone. Threads load this module, so it does not import
 * Effect.
 */
import type { Database } from "better-sqlite3"

const max = 2n ** 63n - 1n

/** The code of the error that no id is left, as SQLite would write it if it had one. */
export const noIdCode = "SQLITE_FULL_NO_ID"

/** Reads it; 0 for none. */
export const read = (database: Database): bigint =>
  database
    .prepare<[], bigint>("SELECT seq FROM sqlite_sequence WHERE name = 'pets'")
    .safeIntegers()
    .pluck()
    .get() ?? 0n

const schema = "SELECT sql FROM sqlite_schema WHERE name = 'sqlite_sequence'"

/** The same for a file of any schema; throws unless the table is SQLite's own: a view in its place may never end. */
export const readAny = (database: Database): bigint => {
  if (database.prepare(schema).pluck().get() !== "CREATE TABLE sqlite_sequence(name,seq)") {
    throw new Error("sqlite_sequence is missing or not SQLite's own")
  }
  return read(database)
}

/** Never assigns this id or a lower one again. For use within a transaction. */
export const raise = (database: Database, id: bigint): void => {
  const raised = database
    .prepare("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'pets'")
    .run(id)
  if (raised.changes > 0) return
  // There is no row before the first pet.
  database.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES ('pets', ?)").run(id)
}

/** Throws if fewer ids are left. SQLite would say that the disk is full. */
export const expectLeft = (database: Database, count: bigint): void => {
  if (read(database) + count > max) {
    throw Object.assign(new Error("no id is left"), { code: noIdCode })
  }
}
