/** Starts the service in a test: in this process, on a free port, with no log on standard output. */
import { randomBytes } from "node:crypto"
import * as KeyText from "@petstore/access/KeyText"
import * as UseCases from "@petstore/domain/UseCases"
import * as PetStoreServer from "@petstore/http-pets/PetStoreServer"
import * as HttpListener from "@petstore/http-transport/HttpListener"
import * as MemoryStores from "@petstore/store-memory/MemoryStores"
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { fromStore } from "./databases/Database.ts"
import * as Databases from "./databases/Databases.ts"
import * as Keys from "./service/Keys.ts"
import * as SettingValues from "./settings/SettingValues.ts"

/** A layer of `PetStore`, typed by the tag's name: the types need no other package of ours. */
export type PetStoreLayer = Layer.Layer<
  Context.TagClassShape<"@petstore/domain/PetStore", never>,
  unknown
>

/** The store and the key of a service. */
export interface Options {
  /** A layer of `PetStore`, or a text as in `DATABASE_URL`; by default a new store in memory. */
  readonly store?: PetStoreLayer | string | undefined
  /** A key with all scopes; by default a new one. */
  readonly apiKey?: string | undefined
}

/** A running service. `await using` also stops it. */
export interface RunningPetStore extends AsyncDisposable {
  /** Its address, such as `http://127.0.0.1:49152`. */
  readonly url: string
  /** The key with all scopes. */
  readonly apiKey: string
  /** Closes its connections and its store. Requests in flight get 503. */
  readonly stop: () => Promise<void>
}

/** Resolves once the service serves; rejects with the error of its store, if that cannot be opened. */
export const startPetStore = async (options: Options = {}): Promise<RunningPetStore> => {
  const { apiKey = newKey(), store = "memory:" } = options
  const key = valid("apiKey", SettingValues.apiKey(apiKey))
  const runtime = ManagedRuntime.make(
    PetStoreServer.layer(PetStoreServer.defaults).pipe(
      Layer.provide(UseCases.layer),
      Layer.provide(Keys.stored(Keys.grantsOf([key]))),
      Layer.provide(typeof store === "string" ? storesOf(store) : withOthers(store)),
      Layer.provideMerge(HttpListener.layer(listening)),
      Layer.provide(errorsOnly)
    )
  )
  // A layer that fails closes what it had opened.
  const started = await runtime.runPromiseExit(HttpListener.HttpListener)
  if (Exit.isFailure(started)) throw Cause.squash(started.cause)
  let stopped: Promise<void> | undefined
  const closing = Effect.provide(runtime.disposeEffect, errorsOnly)
  const stop = () => (stopped ??= Effect.runPromise(closing))
  return { url: started.value.url, apiKey, stop, [Symbol.asyncDispose]: stop }
}

const newKey = () => KeyText.fromBytes(randomBytes(KeyText.randomBytes)).text

const valid = <A>(name: keyof Options, parsed: Either.Either<A, string>): A =>
  Either.getOrThrowWith(parsed, (message) => new TypeError(`${name} ${message}`))

/** Without a time to drain, a service stops at once. */
const listening = { ...HttpListener.defaults, host: "127.0.0.1", port: 0, drainTimeout: 0 }

/** On standard error, such as the cause of a response 500. */
const errorsOnly = Layer.merge(
  Logger.replace(Logger.defaultLogger, Logger.prettyLogger({ stderr: true })),
  Logger.minimumLogLevel(LogLevel.Error)
)

const storesOf = (url: string) => {
  const database = valid("store", Databases.parse(url))
  return Layer.mapError(database.layer({}), fromStore(database))
}

/** The stores that the layer does not have are in memory. */
const withOthers = (store: PetStoreLayer) => {
  if (!(Layer.LayerTypeId in store))
    throw new TypeError(`store must be a layer of Effect 3, or ${Databases.forms}`)
  return Layer.merge(MemoryStores.layer, store)
}
