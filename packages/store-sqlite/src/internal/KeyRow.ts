/** A key as a row of the table `api_keys`, and back. */
import { ApiKey } from "@petstore/access/ApiKey"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** The values of `Columns.key`. */
export type KeyRow = readonly [
  id: string,
  name: string,
  digest: string,
  scopes: string,
  created: number,
  expires: number | null,
  retires: number | null,
  revoked: number | null,
  lastUsed: number | null
]

/** The row to write for a key. */
export const rowOf = (key: ApiKey): KeyRow => [
  key.id,
  key.name,
  key.digest,
  key.scopes.join(" "),
  key.created,
  key.expires ?? null,
  key.retires ?? null,
  key.revoked ?? null,
  key.lastUsed ?? null
]

/** The key in a row, unless the row does not hold one. */
export const keyOf = (row: KeyRow): Option.Option<ApiKey> => {
  const [id, name, digest, scopes, created, expires, retires, revoked, lastUsed] = row
  return decode({
    ...{ id, name, digest, scopes: scopes.split(" "), created },
    ...(expires !== null && { expires }),
    ...(retires !== null && { retires }),
    ...(revoked !== null && { revoked }),
    ...(lastUsed !== null && { lastUsed })
  })
}

const decode = Schema.decodeUnknownOption(ApiKey)
