/** A key as a row of the table `api_keys`, and back. */
import { ApiKey } from "@petstore/access/ApiKey"
import * as Either from "effect/Either"
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

/** The key in a row, or the id of a row that is not a valid key. */
export const keyOf = ({ last_used, scopes, ...row }: KeyRow): Either.Either<ApiKey, string> => {
  const fields = Object.entries({ ...row, lastUsed: last_used }).filter(
    ([, value]) => value !== null
  )
  const key = decode({ ...Object.fromEntries(fields), scopes: scopes.split(" ") })
  return Either.mapLeft(key, () => row.id)
}

const decode = Schema.decodeUnknownEither(ApiKey)
