/** The stores of pets and keys in one PostgreSQL database. */
import { ApiKeyStore } from "@petstore/access/ApiKeyStore"
import { PetStore } from "@petstore/domain/PetStore"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { Options } from "./internal/ConnectionOptions.ts"
import * as ConnectionPool from "./internal/ConnectionPool.ts"
import * as Hosts from "./internal/Hosts.ts"
import * as Migrator from "./internal/Migrator.ts"
import * as PostgresApiKeyStore from "./internal/PostgresApiKeyStore.ts"
import * as PostgresPetStore from "./internal/PostgresPetStore.ts"
import * as Writer from "./internal/Writer.ts"

export type { Options, PoolState } from "./internal/ConnectionOptions.ts"

/** Durable stores in this database, for as long as the scope is open. */
export const make = (
  options: Options
): Effect.Effect<Context.Context<PetStore | ApiKeyStore>, StoreUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const hosts = yield* Hosts.make(options)
    const database = yield* ConnectionPool.make(hosts)
    options.onOpen?.(database.counts)
    // Migrations may take long, such as one that creates an index.
    yield* Migrator.run(database.query, ConnectionPool.make(hosts, ConnectionPool.patient))
    const add = yield* Writer.make(database, options.onBatch)
    const pets = PostgresPetStore.make(database, add)
    // A connection of its own, so that requests that use up the pool do not delay a revocation.
    const { query } = yield* ConnectionPool.make(hosts, { maxConnections: 1 })
    const keys = PostgresApiKeyStore.make(query, database)
    return Context.add(Context.make(PetStore, pets), ApiKeyStore, keys)
  })

/** Durable stores in this database. */
export const layer = (options: Options): Layer.Layer<PetStore | ApiKeyStore, StoreUnavailable> =>
  Layer.scopedContext(make(options))
