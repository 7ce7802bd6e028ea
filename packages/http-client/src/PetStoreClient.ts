/** The client with Effect. */
import * as Config from "effect/Config"
import type * as ConfigError from "effect/ConfigError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as EffectClient from "./EffectClient.ts"
import type { InvalidInput } from "./Errors.ts"
import type { Running } from "./internal/EffectCall.ts"
import { type Operations, petStore } from "./internal/Operations.ts"

/** The methods of a client. */
export type Methods = EffectClient.MethodsOf<Operations>

/** A client of a Pet Store service. */
export class PetStoreClient extends Context.Tag("@petstore/http-client/PetStoreClient")<
  PetStoreClient,
  Methods & {
    readonly pets: {
      /** All pets, page after page. */
      readonly stream: Methods["pets"]["list"]["stream"]
    }
  }
>() {}

/** A client with these options. @internal */
export const make = (
  options: EffectClient.Options,
  running?: Running
): Effect.Effect<PetStoreClient["Type"], InvalidInput> =>
  Effect.map(EffectClient.make("PetStoreClient", petStore, options, running), ({ pets }) => ({
    pets: { ...pets, stream: pets.list.stream }
  }))

/** A client; fails if an option is invalid. */
export const layer = (options: EffectClient.Options): Layer.Layer<PetStoreClient, InvalidInput> =>
  Layer.effect(PetStoreClient, make(options))

/** A client whose options are read from the configuration. */
export const layerConfig = (
  config: Config.Config.Wrap<EffectClient.Options>
): Layer.Layer<PetStoreClient, InvalidInput | ConfigError.ConfigError> =>
  Layer.unwrapEffect(Effect.map(Config.unwrap(config), layer))
