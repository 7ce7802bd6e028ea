/** The thread that writes: only this thread waits for disk syncs and other processes' locks. */
import type { writes as keyWrites, Use } from "@petstore/access/ApiKeyStore"
import type { KeyRow } from "@petstore/access/KeyRow"
import type { Values } from "@petstore/domain/Pet"
import type { writes as petWrites } from "@petstore/domain/PetStore"
import type { WriteOf } from "@petstore/domain/Port"
import type { Statement } from "better-sqlite3"
import type * as Columns from "./Columns.ts"
import * as ThreadSide from "./ThreadSide.ts"
import type { WriteConnection } from "./WriteConnection.ts"

/** Every method of a port that writes, except imports, which have a thread of their own. */
type Name =
  | `pets.${Exclude<WriteOf<typeof petWrites>, "addAll">}`
  | `keys.${WriteOf<typeof keyWrites>}`

/** What the thread can do. */
type Commands = ReturnType<typeof prepare>

/** A write with its inputs. */
export type Command = {
  [N in Name]: readonly [name: N, ...input: Parameters<Commands[N]>]
}[Name]

/** Each command returns the id of a pet, as `Numbering.outcomeOf` takes it, or the number of changed rows. */
const prepare = ({ database }: WriteConnection, columns: typeof Columns) => {
  const petValues = ThreadSide.placeholders(columns.pet)
  const addPet = database.prepare(`INSERT INTO pets (${columns.pet}) VALUES (${petValues})`)
  const findOnce = database
    .prepare<[...Values, string, number], readonly [id: bigint, isSame: bigint]>(
      `SELECT pets.id, (${columns.pet}) IS (${petValues})
       FROM idempotency_keys JOIN pets ON pets.id = pet_id WHERE key = ? AND at > ?`
    )
    .raw()
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
  const changes = (statement: Statement, ...values: ReadonlyArray<unknown>) =>
    BigInt(statement.run(...values).changes)
  const insertPet = (pet: Values) => BigInt(addPet.run(...pet).lastInsertRowid)

  return {
    "pets.add": insertPet,
    "pets.addOnce": (pet: Values, key: string, at: number, expiredUpTo: number) => {
      const known = findOnce.get(...pet, key, expiredUpTo)
      if (known !== undefined) return known[1] === 1n ? -known[0] : 0n
      const id = insertPet(pet)
      noteOnce.run(key, id, at)
      // Each new key removes up to two old ones, so they do not pile up.
      forgetOnce.run(expiredUpTo)
      return id
    },
    "keys.add": (key: KeyRow) => changes(addKey, ...key),
    "keys.addFirst": (key: KeyRow) => changes(addFirstKey, ...key),
    "keys.merge": (key: KeyRow) => changes(mergeKey, ...key),
    "keys.revoke": (id: string, at: number) => changes(revokeKey, { id, at }),
    "keys.replace": (id: string, until: number, by: KeyRow, created: number) =>
      changes(retireKey, until, id, created, by[0]) && changes(addKey, ...by),
    "keys.noteUses": (uses: ReadonlyArray<Use>, now: number) =>
      uses.reduce((sum, { at, id }) => sum + changes(noteUse, { id, at, now }), 0n)
  } satisfies Readonly<Record<Name, (...input: never) => bigint>>
}

ThreadSide.serve((connection, columns) => {
  // A command has the inputs of its name.
  const commands: Readonly<Record<string, (...input: ReadonlyArray<never>) => bigint>> = prepare(
    connection,
    columns
  )
  return (
    batch: ReadonlyArray<readonly [name: string, ...input: ReadonlyArray<never>]>
  ): ReadonlyArray<bigint> =>
    // The first batch is empty: its result says that the file is open. It must not wait for a lock.
    batch.length === 0
      ? []
      : connection.transaction(() =>
          batch.map(([name, ...input]) => commands[name]?.(...input) ?? 0n)
        )
})
