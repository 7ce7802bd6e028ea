/** Composes the service. */
import * as PetStoreServer from "@petstore/http-server/PetStoreServer"
import * as Layer from "effect/Layer"
import * as Adapters from "./Adapters.ts"
import * as Announcement from "./Announcement.ts"
import type { AppConfig } from "./AppConfig.ts"
import { type CommandFailed, fromStart } from "./CommandFailed.ts"
import type { Terminal } from "./cli/Terminal.ts"
import * as Keys from "./Keys.ts"
import * as Log from "./observe/Log.ts"
import * as Observing from "./observe/Observing.ts"
import type { Worker } from "./workers/Worker.ts"

/**
 * Layers provided last are built first and closed last: the socket answers "starting" while the store
 * opens, the store stays open until the last request has finished, and traces are exported after that.
 */
export const layer = (
  config: AppConfig,
  worker?: Worker
): Layer.Layer<never, CommandFailed, Terminal> =>
  Announcement.layer(config, worker).pipe(
    Layer.provide(PetStoreServer.layer(config)),
    Layer.provide(Adapters.keyMetrics),
    Layer.provide(Adapters.useCases),
    Layer.provide(Keys.layer(config, worker)),
    Layer.provide(Adapters.stores(config)),
    Layer.provide(Adapters.metrics),
    Layer.provide(Adapters.listener(config, worker)),
    Layer.provide(Observing.layer(config, worker)),
    // The parent of workers does this for them.
    Layer.provide(worker ? Layer.empty : Layer.scopedDiscard(Announcement.ofProcess)),
    Layer.provide(Log.layer(config, worker)),
    Layer.mapError(fromStart(config))
  )
