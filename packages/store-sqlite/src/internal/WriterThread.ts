/** The thread that writes: only this thread waits for disk syncs and other processes' locks. */
import type { Use } from "@petstore/access/ApiKeyStore"
import type { Statement } from "better-sqlite3"
import * as Columns from "./Columns.ts"
import type { KeyRow } from "./KeyRow.ts"
import type { PetValues } from "./PetRow.ts"
import * as ThreadSide from "./ThreadSide.ts"
import { isBusy } from "./WriteConnection.ts"

/** Any write except an import. */
export type Command =
  | readonly ["addPet", pet: PetValues]
  | readonly ["addPetOnce", pet: PetValues, key: string, at: number, expiredUpTo: number]
  | readonly ["addKey", key: KeyRow]
  | readonly ["addFirstKey", key: KeyRow]
  | readonly ["mergeKey", key: KeyRow]
  | readonly ["revokeKey", id: string, at: number]
  | readonly ["replaceKey", id: string, until: number, by: KeyRow]
  | readonly ["noteUses", uses: ReadonlyArray<Use>, now: number]

/** The result of a command, or the error that rolled it back. */
export type Outcome = bigint | ThreadSide.Failure

ThreadSide.serve(({ database, transaction }) => {
  const addPet = database.prepare(
    `INSERT INTO pets (${Columns.pet}) VALUES (${Columns.placeholders(Columns.pet)})`
  )
  const findOnce = database
    .prepare<[...PetValues, string, number], readonly [id: bigint, isSame: bigint]>(
      `SELECT pets.id, (${Columns.pet}) IS (${Columns.placeholders(Columns.pet)})
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
  const insert = `INSERT INTO api_keys (${Columns.key})`
  const values = Columns.namedPlaceholders(Columns.key)
  const addKey = database.prepare(`${insert} VALUES (${values}) ON CONFLICT (id) DO NOTHING`)
  const addFirstKey = database.prepare(
    `${insert} SELECT ${values} WHERE NOT EXISTS (SELECT 1 FROM api_keys)`
  )
  const firstOf = (how: "min" | "max", column: string) =>
    `${column} = coalesce(${how}(${column}, excluded.${column}), ${column}, excluded.${column})`
  const mergeKey = database.prepare(
    `${insert} VALUES (${values}) ON CONFLICT (id) DO UPDATE
     SET ${firstOf("min", "retires")}, ${firstOf("min", "revoked")}, ${firstOf("max", "last_used")}
     WHERE digest = excluded.digest`
  )
  const revokeKey = database.prepare(
    "UPDATE api_keys SET revoked = min(coalesce(revoked, @at), @at) WHERE id = @id"
  )
  const isReplaceable = database.prepare(
    `SELECT 1 FROM api_keys
     WHERE id = ? AND revoked IS NULL AND retires IS NULL AND (expires IS NULL OR expires > ?)`
  )
  const retireKey = database.prepare("UPDATE api_keys SET retires = @until WHERE id = @id")
  const noteUse = database.prepare(
    `UPDATE api_keys SET last_used = @at
     WHERE id = @id AND (last_used IS NULL OR last_used < @at OR last_used > @now)`
  )
  const changes = (statement: Statement, values: object) => BigInt(statement.run(values).changes)

  const insertPet = (pet: PetValues) => BigInt(addPet.run(...pet).lastInsertRowid)

  /** The id of a pet, 0 if the idempotency key was used for another pet, or the number of changed rows. */
  const run = (command: Command): bigint => {
    switch (command[0]) {
      case "addPet":
        return insertPet(command[1])
      case "addPetOnce": {
        const [, pet, key, at, expiredUpTo] = command
        const known = findOnce.get(...pet, key, expiredUpTo)
        if (known !== undefined) return known[1] === 1n ? known[0] : 0n
        const id = insertPet(pet)
        noteOnce.run(key, id, at)
        // Each new key removes up to two old ones, so they do not pile up.
        forgetOnce.run(expiredUpTo)
        return id
      }
      case "addKey":
        return changes(addKey, command[1])
      case "addFirstKey":
        return changes(addFirstKey, command[1])
      case "mergeKey":
        return changes(mergeKey, command[1])
      case "revokeKey":
        return changes(revokeKey, { id: command[1], at: command[2] })
      case "replaceKey": {
        const [, id, until, by] = command
        if (isReplaceable.get(id, by.created) === undefined) return 0n
        return changes(addKey, by) && changes(retireKey, { id, until })
      }
      case "noteUses": {
        const [, uses, now] = command
        return uses.reduce((sum, { at, id }) => sum + changes(noteUse, { id, at, now }), 0n)
      }
    }
  }

  /** Commands that fail together are tried one by one, so that only a bad one fails. */
  const execute = (commands: ReadonlyArray<Command>): ReadonlyArray<Outcome> => {
    // The first batch is empty: its report says that the file is open. It must not wait for a lock.
    if (commands.length === 0) return []
    try {
      return transaction(() => commands.map(run))
    } catch (error) {
      const failure = ThreadSide.failureOf(error)
      // Each single command would wait for the lock as long as the batch did.
      if (commands.length === 1 || isBusy(error)) return commands.map(() => failure)
      return commands.flatMap((command) => execute([command]))
    }
  }
  return execute
})
