/** Changes of keys. Each takes the lock of the version of all keys, so they happen one after the other. */
import { randomBytes } from "node:crypto"
import type { ApiKeyStore, writes } from "@petstore/access/ApiKeyStore"
import type { WriteOf } from "@petstore/kernel/Port"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import { key as columns } from "@petstore/store-sql/Columns"
import { valuesOf } from "@petstore/store-sql/KeyRow"
import * as Effect from "effect/Effect"
import type { ConnectionPool, Query } from "./ConnectionPool.ts"
import { maxVersions, noVersion } from "./KeyReader.ts"

const statement = (name: string, text: string) => ({ name: `petstore_key_${name}`, text })

const lock = statement("lock", "SELECT count + 1 FROM api_key_changes FOR UPDATE")
/** Notes the id of this change, and forgets that of an early one. */
const raise = statement(
  "raise",
  `UPDATE api_key_changes SET count = $1::bigint,
    versions = (versions - ($1::bigint - ${maxVersions})::text) || jsonb_build_object($1::text, $2::text)`
)

/** The version comes first, then the values of the key. */
const values = `$2, $3, $4, $5, $6::bigint, $7::bigint, $8::bigint, $9::bigint, $10::bigint, $1::bigint`
const insert = `INSERT INTO api_keys (${columns}, changed)`
const add = statement(
  "add",
  `${insert} VALUES (${values}) ON CONFLICT (id) DO NOTHING RETURNING id`
)
const addFirst = statement(
  "add_first",
  `${insert} SELECT ${values} WHERE NOT EXISTS (SELECT 1 FROM api_keys) RETURNING id`
)
const merge = statement(
  "merge",
  `${insert} VALUES (${values}) ON CONFLICT (id) DO UPDATE SET
    retires = LEAST(api_keys.retires, excluded.retires),
    revoked = LEAST(api_keys.revoked, excluded.revoked),
    last_used = GREATEST(api_keys.last_used, excluded.last_used),
    changed = excluded.changed
  WHERE api_keys.digest = excluded.digest RETURNING id`
)
const revoke = statement(
  "revoke",
  `UPDATE api_keys SET revoked = $3, changed = $1
  WHERE id = $2 AND (revoked IS NULL OR revoked > $3) RETURNING id`
)
const findRevoked = statement(
  "find_revoked",
  "SELECT id FROM api_keys WHERE id = $1 AND revoked <= $2"
)
/** Unless the key has ended or the id of the one that replaces it is taken. */
const retire = statement(
  "retire",
  `UPDATE api_keys SET retires = $3, changed = $1
  WHERE id = $2 AND revoked IS NULL AND retires IS NULL AND (expires IS NULL OR expires > $4)
    AND NOT EXISTS (SELECT 1 FROM api_keys WHERE id = $5) RETURNING id`
)
/** Locks the keys in the order of their ids, so that servers do not wait for each other in a circle. */
const noteUses = statement(
  "note_uses",
  `UPDATE api_keys SET last_used = uses.at
  FROM unnest($1::text[], $2::bigint[]) AS uses (id, at)
  JOIN (SELECT id FROM api_keys WHERE id = ANY($1::text[]) ORDER BY id FOR UPDATE) AS locked
    ON locked.id = uses.id
  WHERE api_keys.id = uses.id AND (last_used IS NULL OR last_used < uses.at OR last_used > $3)`
)

type Changes = Pick<ApiKeyStore["Type"], WriteOf<typeof writes>>

/** Changes keys in this database. */
export const make = ({ query, transaction }: ConnectionPool): Changes => {
  /** Runs a change with the version that it leads to, and raises the version if it was done. */
  const change = (
    body: (run: Query, version: bigint) => Effect.Effect<boolean, StoreUnavailable>
  ) =>
    transaction((run) =>
      Effect.gen(function* () {
        const [row] = yield* run<[version: bigint]>(lock)
        if (row === undefined) return yield* noVersion
        const isDone = yield* body(run, row[0])
        if (isDone) yield* run(raise, row[0], randomBytes(8).toString("hex"))
        return isDone
      })
    )
  /** A change by one statement. */
  const changeWith = (how: typeof add, ...values: ReadonlyArray<unknown>) =>
    change((run, version) => Effect.map(run(how, version, ...values), ({ length }) => length > 0))

  return {
    add: (key) => changeWith(add, ...valuesOf(key)),
    addFirst: (key) => changeWith(addFirst, ...valuesOf(key)),
    merge: (key) => changeWith(merge, ...valuesOf(key)),
    revoke: (id, at) =>
      Effect.gen(function* () {
        if (yield* changeWith(revoke, id, at)) return true
        // An earlier revocation is kept.
        return (yield* query(findRevoked, id, at)).length > 0
      }),
    replace: ({ by, id, until }) =>
      change((run, version) =>
        Effect.gen(function* () {
          const retired = yield* run(retire, version, id, until, by.created, by.id)
          if (retired.length === 0) return false
          yield* run(add, version, ...valuesOf(by))
          return true
        })
      ),
    noteUses: (uses, now) => {
      const latest = new Map<string, number>()
      for (const { at, id } of uses) latest.set(id, Math.max(at, latest.get(id) ?? at))
      if (latest.size === 0) return Effect.void
      return Effect.asVoid(query(noteUses, [...latest.keys()], [...latest.values()], now))
    }
  }
}
