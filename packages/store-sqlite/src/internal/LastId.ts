/**
 * The greatest id that a file has assigned, also to a pet that is gone. Threads load this module, so it does not import
 * Effect.
 */
import type * as Driver from "./Driver.ts"
import * as DriverError from "./DriverError.ts"

const max = 2n ** 63n - 1n

const schema = "SELECT sql FROM sqlite_schema WHERE name = 'sqlite_sequence'"

/** Reads it; 0 for none. Throws unless the table is SQLite's own: a view in its place may never end. */
export const read = (database: Driver.Database): bigint => {
  if (database.value(schema) !== "CREATE TABLE sqlite_sequence(name,seq)") {
    throw new Error("sqlite_sequence is missing or not SQLite's own")
  }
  return BigInt(database.value("SELECT seq FROM sqlite_sequence WHERE name = 'pets'") ?? 0n)
}

/** Never assigns this id or a lower one again. For use within a transaction. */
export const raise = (database: Driver.Database, id: bigint): void => {
  const raised = database
    .prepare("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'pets'")
    .run(id)
  if (raised.changes > 0) return
  // There is no row before the first pet.
  database.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES ('pets', ?)").run(id)
}

/** Throws if fewer ids are left. SQLite would say that the disk is full. */
export const expectLeft = (database: Driver.Database, count: bigint): void => {
  if (read(database) + count > max) {
    throw DriverError.failure("no id is left", DriverError.noIdCode)
  }
}
