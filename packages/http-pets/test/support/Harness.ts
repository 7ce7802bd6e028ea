/** The server under test, on the stores it may stand on. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ApiKeyRefused, type Grant, type KeyDigest, KeyId } from "@petstore/access/ApiKey"
import { ApiKeys } from "@petstore/access/ApiKeys"
import { digest } from "@petstore/access/NodeKeyMaker"
import type { PetId } from "@petstore/domain/Pet"
import { PageLimit } from "@petstore/domain/PetPage"
import { PetStore } from "@petstore/domain/PetStore"
import * as Pets from "@petstore/domain/Pets"
import { scopes } from "@petstore/http-pets/PetStoreApi"
import * as PetStoreServer from "@petstore/http-pets/PetStoreServer"
import * as HttpListener from "@petstore/http-transport/HttpListener"
import * as SharedPostgres from "@petstore/local-postgres/support/SharedPostgres"
import * as MemoryPetStore from "@petstore/store-memory/MemoryPetStore"
import * as MemoryStores from "@petstore/store-memory/MemoryStores"
import * as PostgresStores from "@petstore/store-postgres/PostgresStores"
import * as SqliteStores from "@petstore/store-sqlite/SqliteStores"
import { Duration, Effect, Either, Exit, Layer, Option, Redacted } from "effect"
import { keys } from "../../../http-transport/test/support/Request.ts"

/** What a test wants otherwise than usual. */
export interface Options {
  readonly store?: Layer.Layer<PetStore>
  readonly server?: Partial<PetStoreServer.Options>
  readonly listener?: Partial<HttpListener.Options>
}

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "petstore-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

/** The stores that every rule is tested on, each new and empty whenever it is built. */
export const stores: Readonly<Record<string, Layer.Layer<PetStore>>> = {
  memory: MemoryPetStore.layer,
  SQLite: Layer.unwrapScoped(
    Effect.map(folder, (path) => SqliteStores.layer({ filename: join(path, "pets.db") }))
  ).pipe(Layer.orDie),
  PostgreSQL: Layer.unwrapScoped(
    Effect.map(SharedPostgres.database, (url) =>
      PostgresStores.layer({
        // The machine of the tests may be slow.
        url: Redacted.make(`${url}?lock_timeout=30000&statement_timeout=30000`),
        connectTimeout: "30 seconds"
      })
    )
  ).pipe(Layer.orDie)
}

/** The id of the key with all scopes. */
export const keyId = KeyId.make("0123456789")

/** The keys that a test server knows, with what each may do. */
const grants = new Map<KeyDigest, Grant>(
  [
    { id: keyId, digest: digest(keys.all), scopes },
    { digest: digest(keys.read), scopes: ["pets:read" as const] },
    { digest: digest(keys.write), scopes: ["pets:write" as const] }
  ].map((grant) => [grant.digest, grant])
)
const unasked = Effect.dieMessage("the transport only asks who calls")

/** Keys that can only be authenticated: the transport needs nothing else. */
export const apiKeys = Layer.succeed(ApiKeys, {
  authenticate: (digest) =>
    Exit.fromEither(
      Either.fromNullable(grants.get(digest), () => new ApiKeyRefused({ reason: "unknown" }))
    ),
  isCurrent: () => true,
  age: () => Duration.zero,
  countExpiring: () => 0,
  issue: () => unasked,
  issueFirst: () => unasked,
  list: unasked,
  revoke: () => unasked,
  rotate: () => unasked
})

/** A listening socket without a service. */
export const listener = (options: Options["listener"] = {}) =>
  HttpListener.layer({ ...HttpListener.defaults, host: "127.0.0.1", port: 0, ...options }).pipe(
    Layer.orDie
  )

/** The service on a socket of its own, composed as an app would. */
export const layer = ({
  listener: listening,
  server,
  store = MemoryPetStore.layer
}: Options = {}) =>
  serving(server).pipe(Layer.provideMerge(store), Layer.provideMerge(listener(listening)))

/** The use cases, on the store of pets that is given and on others in memory. */
export const useCases = Layer.provide(
  Pets.layer,
  Layer.merge(MemoryStores.layer, Layer.context<PetStore>())
)

/** The service on the listener and the store that are given. */
export const serving = (options: Options["server"] = {}) =>
  PetStoreServer.layer({ ...PetStoreServer.defaults, ...options }).pipe(
    Layer.provide(useCases),
    Layer.provide(apiKeys)
  )

/** A store with some operations replaced; by default, the one in memory. */
export const storeWith = (
  change: (store: PetStore["Type"]) => Partial<PetStore["Type"]>,
  usual: Layer.Layer<PetStore> = MemoryPetStore.layer
): Layer.Layer<PetStore> =>
  Layer.effect(
    PetStore,
    Effect.map(PetStore, (store) => PetStore.of({ ...store, ...change(store) }))
  ).pipe(Layer.provide(usual))

/** How many pets the store has, by walking through all of it. */
export const count = Effect.gen(function* () {
  const store = yield* PetStore
  let total = 0
  let after = Option.none<PetId>()
  do {
    const page = yield* store.list({
      limit: PageLimit.make(100),
      ...(Option.isSome(after) && { after: after.value })
    })
    total += page.pets.length
    after = page.next
  } while (Option.isSome(after))
  return total
})
