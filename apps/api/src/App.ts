/** Composes the service: selects the adapters and orders their start and shutdown. */
import * as Pets from "@petstore/domain/Pets"
import * as HttpListener from "@petstore/http-server/HttpListener"
import * as PetStoreServer from "@petstore/http-server/PetStoreServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import { AppConfig } from "./AppConfig.ts"
import {
  type CommandFailed,
  countAsDone,
  fromConfig,
  fromListener,
  fromStore
} from "./CommandFailed.ts"
import * as Keys from "./Keys.ts"

/**
 * Layers provided last are built first and closed last: the socket answers "starting" while the store
 * opens, and the store stays open until the last request has finished.
 */
const make = (config: AppConfig) =>
  announce(config).pipe(
    Layer.provide(PetStoreServer.layer({ ...config, ...config.rateLimit })),
    Layer.provide(Pets.layer),
    Layer.provide(Keys.layer(config.apiKeys)),
    Layer.provide(config.database.layer(config.cacheBytes)),
    Layer.mapError(fromStore(config.database)),
    Layer.provide(Layer.mapError(HttpListener.layer(config), fromListener)),
    Layer.provide(logging(config))
  )

/** Serves as the environment configures it, until interrupted, which counts as success. */
export const serve: Effect.Effect<never, CommandFailed> = AppConfig.pipe(
  Effect.mapError(fromConfig),
  Effect.flatMap((config) => Layer.launch(make(config))),
  Effect.onInterrupt(() => countAsDone)
)

const announce = (config: AppConfig) =>
  Layer.scopedDiscard(
    Effect.gen(function* () {
      const { url } = yield* HttpListener.HttpListener
      yield* Effect.logInfo(`serving ${url} from ${config.database.url}; read ${url}/docs`)
      yield* Effect.addFinalizer(() => Effect.logInfo("stopping once requests in flight are done"))
    })
  )

const logging = ({ logFormat, logLevel }: AppConfig) => {
  const format = Option.getOrElse(logFormat, () => (process.stdout.isTTY ? "pretty" : "json"))
  const logger = { pretty: Logger.pretty, json: Logger.json, logfmt: Logger.logFmt }[format]
  return Layer.merge(logger, Logger.minimumLogLevel(logLevel))
}
