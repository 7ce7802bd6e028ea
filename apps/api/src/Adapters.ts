/** The adapters of the service, as they are configured and observed. */
import { ApiKeyStore } from "@petstore/access/ApiKeyStore"
import { ApiKeys } from "@petstore/access/ApiKeys"
import { PetStore, writes } from "@petstore/domain/PetStore"
import * as Pets from "@petstore/domain/Pets"
import * as Port from "@petstore/domain/Port"
import * as HttpListener from "@petstore/http-server/HttpListener"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { AppConfig } from "./AppConfig.ts"
import * as Awaiting from "./databases/Awaiting.ts"
import { Observing } from "./observe/Observing.ts"
import type { Worker } from "./workers/Worker.ts"

/** The listening socket, which the observers watch. */
export const listener = (config: AppConfig, worker: Worker | undefined) =>
  Layer.unwrapEffect(
    Effect.map(Observing, ({ observers }) => {
      const { acceptor, isFirst } = worker ?? { ...HttpListener.defaults, isFirst: true }
      return HttpListener.layer({
        ...HttpListener.defaults,
        ...config,
        acceptor,
        // While a worker starts, those before it serve. On a passed socket, connections wait in the kernel's queue.
        listensEarly: isFirst && config.fd === undefined,
        observers
      })
    })
  )

/** Serves metrics, if they are configured. */
export const metrics = Layer.scopedDiscard(Effect.flatMap(Observing, ({ serve }) => serve))

/** Lets metrics watch the keys. */
export const keyMetrics = Layer.effectDiscard(
  Effect.zipWith(Observing, ApiKeys, ({ watchKeys }, keys) => watchKeys(keys))
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
    Effect.zipWith(Observing, tag, ({ store: observe }, store) =>
      observe(name, config.isReadOnly ? Port.readOnly(store, writes) : store, writes)
    )
  )

/** The stores of the database. Only these: another one would be neither refused while read-only nor observed. */
export const stores = (config: AppConfig) =>
  Layer.unwrapEffect(
    Effect.map(Observing, ({ keyStore, storeEvents }) =>
      Layer.merge(
        store(config, PetStore, "PetStore", writes),
        Layer.effect(ApiKeyStore, Effect.map(ApiKeyStore, keyStore))
      ).pipe(
        Layer.provide(
          Awaiting.layer(config.database, config.startTimeout, { ...config, events: storeEvents })
        )
      )
    )
  )

/** The use cases. */
export const useCases = Layer.effect(
  Pets.Pets,
  Effect.zipWith(Observing, Pets.Pets, ({ useCases: observe }, pets) =>
    observe("Pets", pets, writes)
  )
).pipe(Layer.provide(Pets.layer))
