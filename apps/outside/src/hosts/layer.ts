/** What the adoptions need, in memory, for callers with JWTs. */
import * as UseCases from "@petstore/domain/UseCases"
import * as MemoryStores from "@petstore/store-memory/MemoryStores"
import * as MemoryAdoptionStore from "adoptions/MemoryAdoptionStore"
import * as Layer from "effect/Layer"
import * as JwtAuthentication from "./JwtAuthentication.ts"

export const layer = Layer.mergeAll(
  Layer.provide(UseCases.layer, MemoryStores.layer),
  MemoryAdoptionStore.layer,
  JwtAuthentication.layer
)
