/** The service, composed: which adapters there are, and in which order they come and go. */
import * as Pets from "@petstore/domain/Pets"
import type { Server } from "@petstore/http-contract/OpenApiDocument"
import * as HttpListener from "@petstore/http-server/HttpListener"
import * as PetStoreServer from "@petstore/http-server/PetStoreServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import { AppConfig } from "./AppConfig.ts"
import * as Keys from "./Keys.ts"
import * as StartFailure from "./StartFailure.ts"

/**
 * Read from the bottom: what is provided last is built first and closed last. So the socket answers
 * "starting" while the store opens, and the store is open until the last request has finished.
 */
const make = (config: AppConfig) =>
  announce(config).pipe(
    Layer.provide(PetStoreServer.layer(serverOptions(config))),
    Layer.provide(Pets.layer),
    Layer.provide(Keys.layer(config.apiKeys)),
    Layer.provide(config.database.layer(config)),
    Layer.provide(HttpListener.layer(config)),
    Layer.provide(logging(config)),
    Layer.mapError(StartFailure.fromPart(config))
  )

/** The service as the environment describes it. */
export const layer: Layer.Layer<never, StartFailure.StartFailure> = Layer.unwrapEffect(
  AppConfig.pipe(Effect.mapError(StartFailure.fromConfig), Effect.map(make))
)

/** Runs the service until it is told to stop; what keeps it from starting is told in a line. */
export const run = StartFailure.report(Layer.launch(layer))

const announce = (config: AppConfig) =>
  Layer.scopedDiscard(
    Effect.gen(function* () {
      const { url } = yield* HttpListener.HttpListener
      yield* Effect.logInfo(`serving ${url} from ${config.database.url}; read ${url}/docs`)
      yield* Effect.addFinalizer(() => Effect.logInfo("stopping once requests in flight are done"))
    })
  )

const serverOptions = (config: AppConfig): PetStoreServer.Options => ({
  servers: servers(config),
  maxBodyBytes: config.maxBodyBytes,
  ...Option.match(config.requestsPerMinute, {
    onNone: () => ({}),
    onSome: (requestsPerMinute) => ({ requestsPerMinute })
  })
})

const servers = (config: AppConfig): ReadonlyArray<Server> => {
  const named = [
    ...Option.toArray(config.baseUrl).map((url) => ({ url, description: "Production" })),
    ...Option.toArray(config.stagingUrl).map((url) => ({ url, description: "Staging" }))
  ]
  return named.length > 0 ? named : PetStoreServer.defaults.servers
}

const logging = ({ logFormat, logLevel }: AppConfig) => {
  const format = Option.getOrElse(logFormat, () => (process.stdout.isTTY ? "pretty" : "json"))
  const logger = { pretty: Logger.pretty, json: Logger.json, logfmt: Logger.logFmt }[format]
  return Layer.merge(logger, Logger.minimumLogLevel(logLevel))
}
