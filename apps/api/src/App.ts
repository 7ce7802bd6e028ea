/** Composes the service: selects the adapters and orders their start and shutdown. */
import { PetStore } from "@petstore/domain/PetStore"
import * as Pets from "@petstore/domain/Pets"
import { StoreUnavailable } from "@petstore/domain/StoreUnavailable"
import * as HttpListener from "@petstore/http-server/HttpListener"
import * as PetStoreServer from "@petstore/http-server/PetStoreServer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { flow } from "effect/Function"
import * as Layer from "effect/Layer"
import { AppConfig } from "./AppConfig.ts"
import {
  type CommandFailed,
  countAsDone,
  exitCodes,
  fromConfig,
  fromListener,
  fromStore
} from "./CommandFailed.ts"
import * as Keys from "./Keys.ts"
import * as Log from "./observe/Log.ts"
import * as Observing from "./observe/Observing.ts"

/**
 * Layers provided last are built first and closed last: the socket answers "starting" while the store
 * opens, the store stays open until the last request has finished, and traces are exported after that.
 */
const make = (config: AppConfig) => {
  const write = Log.make(config.logFormat ?? (process.stdout.isTTY ? "pretty" : "json"))
  return Effect.map(Observing.make(config, write), ({ observers, serve, ...watched }) => {
    const database = config.database.layer({ ...config, events: watched.storeEvents })
    return announce(config).pipe(
      Layer.provide(PetStoreServer.layer(config)),
      Layer.provide(Layer.map(Pets.layer, replace(Pets.Pets, watched.pets))),
      Layer.provide(Keys.layer(config)),
      Layer.provide(
        Layer.map(database, replace(PetStore, flow(protect(config), watched.petStore)))
      ),
      Layer.mapError(fromStore(config.database)),
      Layer.provide(
        Layer.mapError(Layer.scopedDiscard(serve), fromListener("PETSTORE_METRICS_PORT"))
      ),
      Layer.provide(
        Layer.mapError(HttpListener.layer({ ...config, observers }), fromListener("PORT"))
      )
    )
  }).pipe(Layer.unwrapScoped, Layer.provide(Log.layer(write, config.logLevel)))
}

/** Refuses changes if the service is read-only. */
const protect =
  ({ isReadOnly }: AppConfig) =>
  (store: PetStore["Type"]): PetStore["Type"] =>
    isReadOnly ? { ...store, add: () => new StoreUnavailable({ reason: "read-only" }) } : store

/**
 * After the first signal the runtime no longer listens for any, so the second would end the process in the
 * middle of answers. It takes three.
 */
const ignoreSecondSignal = Effect.sync(() => {
  let count = 0
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => {
      if (++count >= 3) process.exit(exitCodes.interrupted.code)
    })
  }
})

/** Serves as the environment configures it, until interrupted, which counts as success. */
export const serve: Effect.Effect<never, CommandFailed> = ignoreSecondSignal.pipe(
  Effect.zipRight(AppConfig),
  Effect.mapError(fromConfig),
  Effect.flatMap((config) => Layer.launch(make(config))),
  Effect.onInterrupt(() => countAsDone)
)

const announce = (config: AppConfig) =>
  Layer.scopedDiscard(
    Effect.gen(function* () {
      const { host, url } = yield* HttpListener.HttpListener
      const isAll = host === "0.0.0.0" || host === "::"
      const served = isAll ? `port ${new URL(url).port} of all addresses (${host})` : url
      yield* Effect.logInfo(`serving ${served} from ${config.database.url}; read ${url}/docs`)
      yield* Effect.addFinalizer(() => Effect.logInfo("stopping once requests in flight are done"))
    })
  )

/** Replaces a service by a watched one. */
const replace =
  <I, S>(tag: Context.Tag<I, S>, watch: (service: S) => S) =>
  <R>(context: Context.Context<R | I>): Context.Context<R | I> =>
    Context.add(context, tag, watch(Context.get(context, tag)))
