/** A key as a row of the table `api_keys`, and back. */
import { ApiKey } from "@petstore/access/ApiKey"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** A row, by the names of `Columns.key`. */
export type KeyRow = Readonly<Record<string, string | number | null>> & {
  readonly id: string
  readonly scopes: string
  readonly created: number
}

/** The row to write for a key. */
export const rowOf = ({ lastUsed, scopes, ...key }: ApiKey): KeyRow => ({
  expires: null,
  retires: null,
  revoked: null,
  ...key,
  scopes: scopes.join(" "),
  last_used: lastUsed ?? null
})

/** The key in a row, if the row is a valid key. */
export const keyOf = ({ last_used, scopes, ...row }: KeyRow): Option.Option<ApiKey> => {
  const fields = Object.entries({ ...row, lastUsed: last_used }).filter(
    ([, value]) => value !== null
  )
  return decode({ ...Object.fromEntries(fields), scopes: scopes.split(" ") })
}

const decode = Schema.decodeUnknownOption(ApiKey)
