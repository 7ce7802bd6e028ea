/** Composes the service. */
import * as PetStoreServer from "@petstore/http-pets/PetStoreServer"
import * as Layer from "effect/Layer"
import * as Observers from "../observe/Observers.ts"
import type { AppConfig } from "../settings/AppConfig.ts"
import * as Adapters from "./Adapters.ts"
import * as Announcement from "./Announcement.ts"
import * as Keys from "./Keys.ts"

/**
 * Layers provided last are built first and closed last: the socket answers "starting" while the store
 * opens, the store stays open until the last request has finished, and traces are exported after that.
 */
export const layer = (config: AppConfig) =>
  Announcement.layer(config).pipe(
    Layer.provide(PetStoreServer.layer(config)),
    Layer.provide(Adapters.keyMetrics),
    Layer.provide(Adapters.useCases),
    Layer.provide(Keys.layer(config)),
    Layer.provide(Adapters.stores(config)),
    Layer.provide(Adapters.metrics),
    Layer.provide(Adapters.listener(config)),
    Layer.provide(Observers.layer(config))
  )
