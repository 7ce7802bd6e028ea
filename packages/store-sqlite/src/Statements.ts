/** Everything that is ever written, one at a time or together with others. */
import type { Database, Statement } from "better-sqlite3"

/** A key as a row: id, name, digest, scopes, created, expires, revoked, last_used. */
export type KeyRow = readonly [
  string,
  string,
  string,
  string,
  number,
  number | null,
  number | null,
  number | null
]

/** Something to write. */
export type Command =
  | readonly ["addPet", name: string, categoryId: bigint, status: string | null]
  | readonly ["addKey", key: KeyRow]
  | readonly ["addFirstKey", key: KeyRow]
  | readonly ["revokeKey", id: string, at: number]
  | readonly ["replaceKey", id: string, until: number, by: KeyRow]
  | readonly ["noteUse", id: string, at: number]

/** Prepares every statement once. The answer to a new pet is its id, to all else the rows changed. */
export const prepare = (database: Database): ((command: Command) => bigint) => {
  const addPet = database.prepare("INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)")
  const columns =
    "INSERT INTO api_keys (id, name, digest, scopes, created, expires, revoked, last_used)"
  const addKey = database.prepare(
    `${columns} VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`
  )
  const addFirstKey = database.prepare(
    `${columns} SELECT ?, ?, ?, ?, ?, ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM api_keys)`
  )
  const revokeKey = database.prepare(
    "UPDATE api_keys SET revoked = min(coalesce(revoked, @at), @at) WHERE id = @id"
  )
  const isReplaceable = database.prepare(
    `SELECT 1 FROM api_keys
     WHERE id = ? AND revoked IS NULL AND (expires IS NULL OR expires > ?)`
  )
  const noteUse = database.prepare(
    "UPDATE api_keys SET last_used = @at WHERE id = @id AND (last_used IS NULL OR last_used < @at)"
  )
  const changes = (statement: Statement, ...values: ReadonlyArray<unknown>) =>
    BigInt(statement.run(...values).changes)

  return (command) => {
    switch (command[0]) {
      case "addPet":
        return BigInt(addPet.run(command[1], command[2], command[3]).lastInsertRowid)
      case "addKey":
        return changes(addKey, ...command[1])
      case "addFirstKey":
        return changes(addFirstKey, ...command[1])
      case "revokeKey":
        return changes(revokeKey, { id: command[1], at: command[2] })
      case "replaceKey": {
        const [, id, until, by] = command
        if (isReplaceable.get(id, by[4]) === undefined) return 0n
        return changes(addKey, ...by) && changes(revokeKey, { id, at: until })
      }
      case "noteUse":
        return changes(noteUse, { id: command[1], at: command[2] })
    }
  }
}
