/** A key as a row of the table `api_keys`, and back. */
import { ApiKey } from "@petstore/access/ApiKey"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"

/** The moments of a key, in the order of `Columns.key`. */
const moments = ["created", "expires", "retires", "revoked", "lastUsed"] as const

/** A row, in the order of `Columns.key`. */
export type KeyRow = [
  id: string,
  name: string,
  digest: string,
  scopes: string,
  ...moments: Array<bigint | null>
]

/** The values to write for a key. */
export const valuesOf = (key: ApiKey): ReadonlyArray<unknown> => [
  key.id,
  key.name,
  key.digest,
  key.scopes.join(" "),
  ...moments.map((moment) => key[moment])
]

/** The key in a row, or the id of a row that is not a valid key. */
export const keyOf = ([id, name, digest, scopes, ...values]: KeyRow): Either.Either<
  ApiKey,
  string
> => {
  const known = moments.flatMap((moment, nth) => {
    const value = values[nth] ?? null
    return value === null ? [] : [[moment, Number(value)]]
  })
  const key = decode({ id, name, digest, scopes: scopes.split(" "), ...Object.fromEntries(known) })
  return Either.mapLeft(key, () => id)
}

const decode = Schema.decodeUnknownEither(ApiKey)
