/** Checks a database without changing it. */
import type { ApiKey } from "@petstore/access/ApiKey"
import { maxNameLength } from "@petstore/domain/Pet"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Effect from "effect/Effect"
import type { Options } from "./internal/ConnectionOptions.ts"
import * as ConnectionPool from "./internal/ConnectionPool.ts"
import * as Migrator from "./internal/Migrator.ts"
import { readAll } from "./internal/PostgresApiKeyStore.ts"

export type { Options }

/** The result of an inspection. */
export type Inspection =
  | { readonly state: "missing" }
  | { readonly state: "outdated"; readonly missing: number }
  | { readonly state: "damaged"; readonly problems: ReadonlyArray<string> }
  | {
      readonly state: "sound"
      /** The database system and its version. */
      readonly system: string
      readonly pets: number
      /** The first pets whose names are longer than those that are added now. */
      readonly longNames: ReadonlyArray<bigint>
      readonly keys: ReadonlyArray<ApiKey>
    }

/** Whether a database has the tables of any version. */
export const exists = (options: Options): Effect.Effect<boolean, StoreUnavailable> =>
  ConnectionPool.use(options, (query) =>
    Effect.map(Migrator.count(query), ({ known }) => known > 0)
  )

/** The keys in a database. */
export const keys = (options: Options): Effect.Effect<ReadonlyArray<ApiKey>, StoreUnavailable> =>
  ConnectionPool.use(options, (query) => Effect.map(readAll(query), ({ keys }) => keys))

/** Inspects a database: whether it has this version's schema and valid rows. Fails for a newer schema. */
export const run = (options: Options): Effect.Effect<Inspection, StoreUnavailable> =>
  ConnectionPool.use(options, (query) =>
    Effect.gen(function* () {
      const { known, missing } = yield* Migrator.count(query)
      if (known === 0) return { state: "missing" }
      if (missing > 0) return { state: "outdated", missing }
      const [pets] = yield* query<[count: bigint, greatest: bigint | null]>(
        "SELECT count(*), max(id) FROM pets"
      )
      const longNames = yield* query<[id: bigint]>(
        `SELECT id FROM pets WHERE char_length(name) > ${maxNameLength} LIMIT 10`
      )
      const [ids] = yield* query<[last: bigint]>("SELECT last FROM pet_ids")
      const [versions] = yield* query("SELECT count FROM api_key_changes")
      const { invalid, keys } = yield* readAll(query)
      const [version] = yield* query<[text: string]>("SHOW server_version")
      const [count = 0n, greatest] = pets ?? []
      const problems = [
        ...(ids === undefined ? ["the table pet_ids has no row"] : []),
        ...(ids !== undefined && (greatest ?? 0n) > ids[0]
          ? [`pet ${greatest} has a greater id than the last in pet_ids, ${ids[0]}`]
          : []),
        ...(versions === undefined ? ["the table api_key_changes has no row"] : []),
        ...invalid.map((id) => `the row of key ${id} is not a valid key`)
      ]
      return problems.length === 0
        ? {
            state: "sound",
            system: `PostgreSQL ${version?.[0]}`,
            pets: Number(count),
            longNames: longNames.map(([id]) => id),
            keys
          }
        : { state: "damaged", problems }
    })
  )
