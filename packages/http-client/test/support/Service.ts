/** The real service in this process, with its pets in memory. */
import { allScopes } from "@petstore/access/ApiKey"
import * as ApiKeys from "@petstore/access/ApiKeys"
import * as NodeKeyMaker from "@petstore/access/NodeKeyMaker"
import * as Pets from "@petstore/domain/Pets"
import * as HttpListener from "@petstore/http-server/HttpListener"
import * as PetStoreServer from "@petstore/http-server/PetStoreServer"
import * as MemoryApiKeyStore from "@petstore/store-memory/MemoryApiKeyStore"
import * as MemoryPetStore from "@petstore/store-memory/MemoryPetStore"
import { Layer, ManagedRuntime } from "effect"
import { onTestFinished } from "vitest"

/** The keys that the service accepts. */
export const keys = { all: "key-of-all", read: "key-to-read" }

/** Starts a service for the running test and returns its address. */
export const startService = async (
  options: Partial<PetStoreServer.Options> = {}
): Promise<string> => {
  const fixed = [
    { digest: NodeKeyMaker.digest(keys.all), scopes: allScopes },
    { digest: NodeKeyMaker.digest(keys.read), scopes: ["pets:read" as const] }
  ]
  const listener = HttpListener.layer({
    ...HttpListener.defaults,
    host: "127.0.0.1",
    port: 0
  })
  const runtime = ManagedRuntime.make(
    PetStoreServer.layer({ ...PetStoreServer.defaults, ...options }).pipe(
      Layer.provide(Pets.layer),
      Layer.provide(ApiKeys.layer({ fixed })),
      Layer.provide([MemoryPetStore.layer, MemoryApiKeyStore.layer, NodeKeyMaker.layer]),
      Layer.provideMerge(listener)
    )
  )
  // It takes a second to stop, for which no test waits.
  onTestFinished(() => void runtime.dispose())
  return (await runtime.runPromise(HttpListener.HttpListener)).url
}
