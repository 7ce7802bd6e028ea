/** The adapters of the service, as they are configured and observed. */
import { ApiKeyStore } from "@petstore/access/ApiKeyStore"
import { ApiKeys } from "@petstore/access/ApiKeys"
import { PetStore, writes } from "@petstore/domain/PetStore"
import * as Pets from "@petstore/domain/Pets"
import * as HttpListener from "@petstore/http-transport/HttpListener"
import * as Port from "@petstore/kernel/Port"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as AwaitedDatabase from "../databases/AwaitedDatabase.ts"
import { Observers } from "../observe/Observers.ts"
import type { AppConfig } from "../settings/AppConfig.ts"

/** The listening socket, which the observers watch. */
export const listener = (config: AppConfig) =>
  Layer.unwrapEffect(
    Effect.map(Observers, ({ observers }) =>
      HttpListener.layer({
        ...HttpListener.defaults,
        ...config,
        // Connections to a shared socket or port wait, or another process takes them.
        listensEarly: config.fd === undefined && !config.reusePort,
        observers
      })
    )
  )

/** Serves metrics, if they are configured. */
export const metrics = Layer.scopedDiscard(
  Effect.flatMap(Observers, ({ serveMetrics }) => serveMetrics)
)

/** Lets metrics watch the keys. */
export const keyMetrics = Layer.effectDiscard(
  Effect.zipWith(Observers, ApiKeys, ({ observeKeys }, keys) => observeKeys(keys))
)

/** A store as the service uses it: it refuses writes while read-only, and is observed. */
const store = <Id, Store extends Port.Methods<Store>>(
  config: AppConfig,
  tag: Context.Tag<Id, Store>,
  name: string,
  writes: Port.Writes<Store>
) =>
  Layer.effect(
    tag,
    Effect.zipWith(Observers, tag, ({ observeStore }, store) =>
      observeStore(name, config.isReadOnly ? Port.readOnly(store, writes) : store)
    )
  )

/** The stores of the database. Only these: another one would be neither refused while read-only nor observed. */
export const stores = (config: AppConfig) =>
  Layer.unwrapEffect(
    Effect.map(Observers, ({ observeKeyStore, storeEvents }) =>
      Layer.merge(
        store(config, PetStore, "PetStore", writes),
        Layer.effect(ApiKeyStore, Effect.map(ApiKeyStore, observeKeyStore))
      ).pipe(
        Layer.provide(
          AwaitedDatabase.layer(config.database, config.startTimeout, {
            ...config,
            events: storeEvents
          })
        )
      )
    )
  )

export const useCases = Layer.effect(
  Pets.Pets,
  Effect.zipWith(Observers, Pets.Pets, ({ observeUseCases }, pets) => observeUseCases("Pets", pets))
).pipe(Layer.provide(Pets.layer))
