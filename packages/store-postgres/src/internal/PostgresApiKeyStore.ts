/**
 * The store of keys in a PostgreSQL database. Each change takes the lock of the version of all keys, so they happen one after
 * the other.
 */
import { randomBytes } from "node:crypto"
import { ApiKeyStore, type KeyChanges } from "@petstore/access/ApiKeyStore"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import { key as columns } from "@petstore/store-sql/Columns"
import * as KeyRow from "@petstore/store-sql/KeyRow"
import * as Effect from "effect/Effect"
import type { ConnectionPool, Query } from "./ConnectionPool.ts"
import * as PostgresFailure from "./PostgresFailure.ts"
import { columnsIn } from "./Statement.ts"

const list = `SELECT ${columns} FROM api_keys ORDER BY created, id`

/** The changes whose ids the database has. A server that missed more reads all keys again. */
const maxVersions = 32

/**
 * One statement, so that the version and the keys belong together. Without keys there is one row, of the version. A
 * version is the number of a change and its id; it is known if the change of that number still has that id,
 * which is empty for a change by hand. Read twice a second, so it has a name; all others are rare.
 */
const changed = {
  name: "petstore_key_changes",
  text: `SELECT current.version, current.is_known, ${columnsIn("api_keys", columns)}
    FROM (
      SELECT concat(count, '.', versions ->> count::text) AS version,
        coalesce($1::bigint BETWEEN GREATEST(removed, count - ${maxVersions} + 1) AND count
          AND coalesce(versions ->> $1::text, '') = $2::text, FALSE) AS is_known
      FROM api_key_changes
    ) AS current
    LEFT JOIN api_keys ON api_keys.changed > CASE WHEN current.is_known THEN $1::bigint ELSE -1 END`
}
type ChangedRow = readonly [version: string, isKnown: boolean, ...KeyRow.KeyRow]

const lock = "SELECT count + 1 FROM api_key_changes FOR UPDATE"
/** Notes the id of this change, and forgets that of an early one. */
const raise = `UPDATE api_key_changes SET count = $1::bigint,
    versions = (versions - ($1::bigint - ${maxVersions})::text) || jsonb_build_object($1::text, $2::text)`

/** The version comes first, then the values of the key. */
const values = `$2, $3, $4, $5, $6::bigint, $7::bigint, $8::bigint, $9::bigint, $10::bigint, $1::bigint`
const insert = `INSERT INTO api_keys (${columns}, changed)`
const add = `${insert} VALUES (${values}) ON CONFLICT (id) DO NOTHING RETURNING id`
const addFirst = `${insert} SELECT ${values} WHERE NOT EXISTS (SELECT 1 FROM api_keys) RETURNING id`
const merge = `${insert} VALUES (${values}) ON CONFLICT (id) DO UPDATE SET
    retires = LEAST(api_keys.retires, excluded.retires),
    revoked = LEAST(api_keys.revoked, excluded.revoked),
    last_used = GREATEST(api_keys.last_used, excluded.last_used),
    changed = excluded.changed
  WHERE api_keys.digest = excluded.digest RETURNING id`
const revoke = `UPDATE api_keys SET revoked = $3, changed = $1
  WHERE id = $2 AND (revoked IS NULL OR revoked > $3) RETURNING id`
const findRevoked = "SELECT id FROM api_keys WHERE id = $1 AND revoked <= $2"
/** Unless the key has ended or the id of the one that replaces it is taken. */
const retire = `UPDATE api_keys SET retires = $3, changed = $1
  WHERE id = $2 AND revoked IS NULL AND retires IS NULL AND (expires IS NULL OR expires > $4)
    AND NOT EXISTS (SELECT 1 FROM api_keys WHERE id = $5) RETURNING id`
/** Locks the keys in the order of their ids, so that servers do not wait for each other in a circle. */
const noteUses = `UPDATE api_keys SET last_used = uses.at
  FROM unnest($1::text[], $2::bigint[]) AS uses (id, at)
  JOIN (SELECT id FROM api_keys WHERE id = ANY($1::text[]) ORDER BY id FOR UPDATE) AS locked
    ON locked.id = uses.id
  WHERE api_keys.id = uses.id AND (last_used IS NULL OR last_used < uses.at OR last_used > $3)`

/** Every key, and the ids of rows that are not valid keys. */
export const readAll = (query: Query) => Effect.map(query<KeyRow.KeyRow>(list), KeyRow.keysOf)

/** The store of keys that reads with this function and changes keys on this pool. */
export const make = (read: Query, { query, transaction }: ConnectionPool): ApiKeyStore["Type"] => {
  const warn = KeyRow.makeWarning()
  const warned = (read: ReturnType<typeof KeyRow.keysOf>) => Effect.as(warn(read.invalid), read)

  /** The changed keys; all of them if keys were removed since, or a changed row is not a valid key. */
  const changes = (since: string | undefined): Effect.Effect<KeyChanges, StoreUnavailable> =>
    Effect.gen(function* () {
      const [, count, id] = /^(\d{1,18})\.(\w*)$/.exec(since ?? "") ?? []
      const rows = yield* read<ChangedRow>(changed, count, id)
      const [first] = rows
      if (first === undefined) return yield* noVersion
      const [version, isKnown] = first
      const found = rows.map(([, , ...row]) => row).filter((row) => row[0] !== null)
      const { invalid, keys } = yield* warned(KeyRow.keysOf(found))
      return isKnown && invalid.length > 0
        ? yield* changes(undefined)
        : { version, keys, isAll: !isKnown }
    })

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
  const changeWith = (how: string, ...values: ReadonlyArray<unknown>) =>
    change((run, version) => Effect.map(run(how, version, ...values), ({ length }) => length > 0))

  return ApiKeyStore.of({
    list: Effect.map(Effect.flatMap(readAll(read), warned), ({ keys }) => keys),
    changes,
    add: (key) => changeWith(add, ...KeyRow.valuesOf(key)),
    addFirst: (key) => changeWith(addFirst, ...KeyRow.valuesOf(key)),
    merge: (key) => changeWith(merge, ...KeyRow.valuesOf(key)),
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
          yield* run(add, version, ...KeyRow.valuesOf(by))
          return true
        })
      ),
    noteUses: (uses, now) => {
      const latest = new Map<string, number>()
      for (const { at, id } of uses) latest.set(id, Math.max(at, latest.get(id) ?? at))
      if (latest.size === 0) return Effect.void
      return Effect.asVoid(query(noteUses, [...latest.keys()], [...latest.values()], now))
    }
  })
}

/** The row with the version of all keys is missing. */
const noVersion = PostgresFailure.make("damaged", "the table api_key_changes has no row")
