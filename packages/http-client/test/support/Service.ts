/** The real service in this process. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as ApiKeys from "@petstore/access/ApiKeys"
import * as NodeKeyMaker from "@petstore/access/NodeKeyMaker"
import type { PetStore } from "@petstore/domain/PetStore"
import * as UseCases from "@petstore/domain/UseCases"
import { scopes } from "@petstore/http-contract/PetStoreApi"
import * as HttpListener from "@petstore/http-server/HttpListener"
import * as PetStoreServer from "@petstore/http-server/PetStoreServer"
import * as SharedPostgres from "@petstore/local-postgres/support/SharedPostgres"
import * as MemoryStores from "@petstore/store-memory/MemoryStores"
import * as PostgresStores from "@petstore/store-postgres/PostgresStores"
import * as SqliteStores from "@petstore/store-sqlite/SqliteStores"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { onTestFinished } from "vitest"

/** The keys that the service accepts. */
export const keys = { all: "key-of-all", read: "key-to-read" }

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "petstore-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

/** The stores that last, each new and empty whenever it is built. */
export const durableStores = {
  SQLite: Layer.unwrapScoped(
    Effect.map(folder, (path) => SqliteStores.layer({ filename: join(path, "pets.db") }))
  ),
  PostgreSQL: Layer.unwrapScoped(
    Effect.map(SharedPostgres.schema, (url) => PostgresStores.layer({ url: Redacted.make(url) }))
  )
}

/** Starts a service for the running test and returns its address. */
export const startService = async (
  options: Partial<PetStoreServer.Options> = {},
  store: Layer.Layer<PetStore, unknown> = MemoryStores.layer
): Promise<string> => {
  const fixed = [
    { digest: NodeKeyMaker.digest(keys.all), scopes },
    { digest: NodeKeyMaker.digest(keys.read), scopes: ["pets:read" as const] }
  ]
  const listener = HttpListener.layer({
    ...HttpListener.defaults,
    host: "127.0.0.1",
    port: 0
  })
  const runtime = ManagedRuntime.make(
    PetStoreServer.layer({ ...PetStoreServer.defaults, ...options }).pipe(
      Layer.provide(UseCases.layer),
      Layer.provide(ApiKeys.layer({ fixed })),
      // The store that is given takes the place of the one in memory.
      Layer.provide([MemoryStores.layer, store, NodeKeyMaker.layer]),
      Layer.provideMerge(listener)
    )
  )
  // It takes a second to stop, for which no test waits.
  onTestFinished(() => void runtime.dispose())
  return (await runtime.runPromise(HttpListener.HttpListener)).url
}
