/** Composes the service: selects the adapters and orders their start and shutdown. */
import { PetStore, readOnly } from "@petstore/domain/PetStore"
import * as Pets from "@petstore/domain/Pets"
import * as HttpListener from "@petstore/http-server/HttpListener"
import * as PetStoreServer from "@petstore/http-server/PetStoreServer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { flow, identity } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
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
import type { Worker } from "./workers/Worker.ts"

/**
 * Layers provided last are built first and closed last: the socket answers "starting" while the store
 * opens, the store stays open until the last request has finished, and traces are exported after that.
 */
const make = (config: AppConfig, worker?: Worker) => {
  const log = Log.make({ ...config, format: Log.formatOf(config), worker: worker?.number })
  // While a worker starts, those before it serve; and they have told that there is no key.
  const { isFirst, nextTurn } = worker ?? { ...HttpListener.defaults, isFirst: true }
  // On a passed socket, connections wait in the kernel's queue until the service is ready.
  const listensEarly = isFirst && config.fd === undefined
  const keys = isFirst ? Keys.layer(config) : Keys.stored(Keys.grantsOf(config.apiKeys))
  return Effect.map(Observing.make(config, log, worker), ({ observers, serve, ...watched }) => {
    const database = config.database.layer({ ...config, events: watched.storeEvents })
    const ready = worker?.ready ?? announce(config)
    return Layer.scopedDiscard(Effect.flatMap(HttpListener.HttpListener, ready)).pipe(
      Layer.provide(Layer.mapError(PetStoreServer.layer(config), fromListener("PORT"))),
      Layer.provide(Layer.map(Pets.layer, replace(Pets.Pets, watched.pets))),
      Layer.provide(Layer.mapError(keys, fromStore(config.database))),
      Layer.provide(
        Layer.mapError(
          Layer.map(
            database,
            replace(PetStore, flow(config.isReadOnly ? readOnly : identity, watched.petStore))
          ),
          fromStore(config.database)
        )
      ),
      Layer.provide(
        Layer.mapError(Layer.scopedDiscard(serve), fromListener("PETSTORE_METRICS_PORT"))
      ),
      Layer.provide(
        Layer.mapError(
          HttpListener.layer({
            ...HttpListener.defaults,
            ...config,
            listensEarly,
            nextTurn,
            observers
          }),
          fromListener("PORT")
        )
      )
    )
  }).pipe(Layer.unwrapScoped, Layer.provide(Log.layer(log.write, config.logLevel)))
}

/**
 * After the first signal the runtime no longer listens for any, so the second would end the process in the
 * middle of answers. It takes this many.
 */
const endAtSignal = (last: number) =>
  Effect.sync(() => {
    let count = 0
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      process.on(signal, () => {
        if (++count >= last) process.exit(exitCodes.interrupted.code)
      })
    }
  })

/** Serves as the environment configures it, until interrupted, which counts as success. */
export const serve: Effect.Effect<never, CommandFailed> = AppConfig.pipe(
  Effect.mapError(fromConfig),
  Effect.flatMap((config) =>
    config.workers === 1 ? launch(make(config), 3) : launchTogether(config)
  ),
  Effect.onInterrupt(() => countAsDone)
)

const launch = <E>(app: Layer.Layer<never, E>, lastSignal: number) =>
  Effect.zipRight(endAtSignal(lastSignal), Layer.launch(app))

/** Launches a parent, or the worker that this process is. */
const launchTogether = (config: AppConfig) =>
  Effect.gen(function* () {
    const Worker = yield* Effect.promise(() => import("./workers/Worker.ts"))
    const current = yield* Worker.current
    // A worker gets every Ctrl-C twice, from the terminal and from its parent. Only the parent counts.
    if (Option.isSome(current)) {
      return yield* launch(make(config, current.value), Number.POSITIVE_INFINITY)
    }
    const Workers = yield* Effect.promise(() => import("./workers/Workers.ts"))
    return yield* Effect.zipRight(endAtSignal(3), Workers.run(config, announce(config)))
  })

const announce =
  (config: AppConfig) =>
  ({ host, url }: HttpListener.BoundAddress) =>
    Effect.gen(function* () {
      const isAll = host === "0.0.0.0" || host === "::"
      const served = isAll ? `port ${new URL(url).port} of all addresses (${host})` : url
      yield* Effect.logInfo(`serving ${served} from ${config.database.url}; read ${url}/docs`)
      yield* Effect.addFinalizer(() => Effect.logInfo("stopping once requests in flight are done"))
    })

/** Replaces a service by a watched one. */
const replace =
  <I, S>(tag: Context.Tag<I, S>, watch: (service: S) => S) =>
  <R>(context: Context.Context<R | I>): Context.Context<R | I> =>
    Context.add(context, tag, watch(Context.get(context, tag)))
