/** A service composed of the packages, with its pets in memory. */
import * as ApiKeys from "@petstore/access/ApiKeys"
import * as NodeKeyMaker from "@petstore/access/NodeKeyMaker"
import * as UseCases from "@petstore/domain/UseCases"
import { scopes } from "@petstore/http-pets/PetStoreApi"
import * as PetStoreServer from "@petstore/http-pets/PetStoreServer"
import * as HttpListener from "@petstore/http-transport/HttpListener"
import * as MemoryStores from "@petstore/store-memory/MemoryStores"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"

const key = { digest: NodeKeyMaker.digest("key-of-the-outside"), scopes }

const app = PetStoreServer.layer(PetStoreServer.defaults).pipe(
  Layer.provide(UseCases.layer),
  Layer.provide(ApiKeys.layer({ fixed: [key] })),
  Layer.provide([MemoryStores.layer, NodeKeyMaker.layer]),
  Layer.provideMerge(HttpListener.layer({ ...HttpListener.defaults, host: "127.0.0.1", port: 0 }))
)

const { url } = await ManagedRuntime.make(app).runPromise(HttpListener.HttpListener)
process.stdout.write(`${url}\n`)
