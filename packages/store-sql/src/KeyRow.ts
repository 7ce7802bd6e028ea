/** A key as a row, for stores of rows: one value for each of its fields, in the order of the schema. */

import { ApiKey } from "@petstore/access/ApiKey"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"

/** The names of the fields of a key. */
export const names = Struct.keys(ApiKey.fields)

/** The values of a key, null for those that are left out. Its scopes are one text. */
export type KeyRow = ReadonlyArray<string | number | bigint | null>

/** The values to write for a key. */
export const valuesOf = (key: ApiKey): KeyRow =>
  names.map((name) => (name === "scopes" ? key.scopes.join(" ") : (key[name] ?? null)))

/** The keys in these rows, and the ids of rows that are not valid keys. */
export const keysOf = (rows: ReadonlyArray<KeyRow>) => {
  const [invalid, keys] = Arr.partitionMap(rows, (row) =>
    Either.mapLeft(decode(fieldsOf(row)), () => String(row[0]))
  )
  return { keys, invalid }
}

/** The keys in rows, and the ids of rows that are not valid keys. */
export type Keys = ReturnType<typeof keysOf>

/** Warns about rows that are not valid keys, once about each. */
export const makeWarning = () => {
  const warned = new Set<string>()
  return (invalid: ReadonlyArray<string>): Effect.Effect<void> => {
    const news = invalid.filter((id) => !warned.has(id))
    for (const id of news) warned.add(id)
    return news.length === 0
      ? Effect.void
      : Effect.logWarning(`ignoring invalid keys: ${news.join(", ")}`)
  }
}

const decode = Schema.decodeUnknownEither(ApiKey)

const fieldsOf = (row: KeyRow) => {
  const fields: Record<string, unknown> = {}
  for (const [nth, name] of names.entries()) {
    const value = row[nth]
    if (name === "scopes") fields[name] = String(value).split(" ")
    else if (value !== null) fields[name] = typeof value === "bigint" ? Number(value) : value
  }
  return fields
}
