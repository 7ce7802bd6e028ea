/** The thread that writes: only this thread waits for disk syncs and other processes' locks. */
import type { Use } from "@petstore/access/ApiKeyStore"
import type { KeyRow } from "@petstore/store-sql/KeyRow"
import type { PetRow, Values } from "@petstore/store-sql/PetRow"
import * as LastId from "./LastId.ts"
import * as ThreadSide from "./ThreadSide.ts"
import type { WriteConnection } from "./WriteConnection.ts"

/** What the thread can do. */
type Commands = ReturnType<typeof prepare>

/** The name of a write; imports have a thread of their own. */
export type Name = keyof Commands

/** The inputs of a write. */
export type Input<N extends Name> = Parameters<Commands[N]>

/** What a write gives. */
export type Result<N extends Name> = ReturnType<Commands[N]>

/** Each command returns the id or the row of a pet, or whether it changed a key. */
const prepare = ({ database }: WriteConnection, columns: ThreadSide.Columns) => {
  const petValues = ThreadSide.placeholders(columns.pet)
  const addPet = database.prepare(`INSERT INTO pets (${columns.pet}) VALUES (${petValues})`)
  const findOnce = database.prepare<PetRow, [key: string, expiredUpTo: number]>(
    `SELECT id, ${columns.pet} FROM idempotency_keys JOIN pets ON id = pet_id WHERE key = ? AND at > ?`
  )
  const noteOnce = database.prepare(
    "REPLACE INTO idempotency_keys (key, pet_id, at) VALUES (?, ?, ?)"
  )
  const forgetOnce = database.prepare(
    `DELETE FROM idempotency_keys
     WHERE key IN (SELECT key FROM idempotency_keys WHERE at <= ? ORDER BY at LIMIT 2)`
  )
  const insert = `INSERT INTO api_keys (${columns.key})`
  const keyValues = ThreadSide.placeholders(columns.key)
  const addKey = database.prepare(`${insert} VALUES (${keyValues}) ON CONFLICT (id) DO NOTHING`)
  const addFirstKey = database.prepare(
    `${insert} SELECT ${keyValues} WHERE NOT EXISTS (SELECT 1 FROM api_keys)`
  )
  const firstOf = (how: "min" | "max", column: string) =>
    `${column} = coalesce(${how}(${column}, excluded.${column}), ${column}, excluded.${column})`
  const mergeKey = database.prepare(
    `${insert} VALUES (${keyValues}) ON CONFLICT (id) DO UPDATE
     SET ${firstOf("min", "retires")}, ${firstOf("min", "revoked")}, ${firstOf("max", "last_used")}
     WHERE digest = excluded.digest`
  )
  const revokeKey = database.prepare(
    "UPDATE api_keys SET revoked = min(coalesce(revoked, @at), @at) WHERE id = @id"
  )
  /** Unless the key has ended or the id of the one that replaces it is taken. */
  const retireKey = database.prepare(
    `UPDATE api_keys SET retires = ?
     WHERE id = ? AND revoked IS NULL AND retires IS NULL AND (expires IS NULL OR expires > ?)
       AND NOT EXISTS (SELECT 1 FROM api_keys WHERE id = ?)`
  )
  const noteUse = database.prepare(
    `UPDATE api_keys SET last_used = @at
     WHERE id = @id AND (last_used IS NULL OR last_used < @at OR last_used > @now)`
  )
  const changes = (statement: typeof addKey, ...values: ReadonlyArray<unknown>) =>
    statement.run(...values).changes > 0
  const insertPet = (pet: Values) => {
    try {
      return BigInt(addPet.run(...pet).lastInsertRowid)
    } catch (error) {
      LastId.expectLeft(database, 1n)
      throw error
    }
  }

  return {
    "pets.add": insertPet,
    "pets.addOnce": (pet: Values, key: string, at: number, expiredUpTo: number) => {
      const known = findOnce.get(key, expiredUpTo)
      if (known !== undefined) return { row: known, isRepeat: true }
      const id = insertPet(pet)
      noteOnce.run(key, id, at)
      // Each new key removes up to two old ones, so they do not pile up.
      forgetOnce.run(expiredUpTo)
      return { row: [id, ...pet] satisfies PetRow, isRepeat: false }
    },
    "keys.add": (key: KeyRow) => changes(addKey, ...key),
    "keys.addFirst": (key: KeyRow) => changes(addFirstKey, ...key),
    "keys.merge": (key: KeyRow) => changes(mergeKey, ...key),
    "keys.revoke": (id: string, at: number) => changes(revokeKey, { id, at }),
    "keys.replace": (id: string, until: number, by: KeyRow, created: number) =>
      changes(retireKey, until, id, created, by[0]) && changes(addKey, ...by),
    "keys.noteUses": (uses: ReadonlyArray<Use>, now: number) => {
      for (const { at, id } of uses) changes(noteUse, { id, at, now })
    }
  }
}

ThreadSide.serve((connection, columns) => {
  // A command has the inputs of its name.
  const commands: Readonly<Record<string, (...input: ReadonlyArray<never>) => unknown>> = prepare(
    connection,
    columns
  )
  return (
    batch: ReadonlyArray<readonly [name: string, ...input: ReadonlyArray<never>]>
  ): ReadonlyArray<unknown> =>
    // The first batch is empty: its result says that the file is open. It must not wait for a lock.
    batch.length === 0
      ? []
      : connection.transaction(() => batch.map(([name, ...input]) => commands[name]?.(...input)))
})
