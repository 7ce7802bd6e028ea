/** The client with Effect. */
import * as Chunk from "effect/Chunk"
import * as Config from "effect/Config"
import type * as ConfigError from "effect/ConfigError"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import type { InvalidInput } from "./Errors.ts"
import {
  byFetch,
  type CallOptions,
  call,
  type Exchange,
  fromChecked,
  inMillis
} from "./internal/EffectCall.ts"
import { listPets, methodsOf, type Operation, type Operations } from "./internal/Operations.ts"
import { type Settings, settingsOf } from "./internal/Settings.ts"
import type { OperationError } from "./OperationError.ts"
import type { Options as PromiseOptions } from "./Options.ts"
import type { ListQuery, Page, Pet } from "./Pet.ts"

export type { CallOptions } from "./internal/EffectCall.ts"

/** The options of a client. */
export interface Options extends Omit<PromiseOptions, "apiKey" | "timeout"> {
  /** The key, or an effect that succeeds with it, which is run before each request: keys may be replaced meanwhile. */
  readonly apiKey: Redacted.Redacted | Effect.Effect<Redacted.Redacted>
  /** The time for a call, retries included, or for each page of a stream; 30 seconds by default. */
  readonly timeout?: Duration.DurationInput | undefined
}

/** A method for each operation, by resource. Each run of its effect is a new call, also by `Effect.retry`. */
export type Methods = {
  readonly [Resource in keyof Operations]: {
    readonly [Name in keyof Operations[Resource]]: Operations[Resource][Name] extends (
      input: infer Input,
      options: infer Own
    ) => Operation<infer A, infer Name>
      ? (input: Input, options?: CallOptions & Own) => Effect.Effect<A, OperationError<Name>>
      : never
  }
}

/** A client of a Pet Store service. */
export class PetStoreClient extends Context.Tag("@petstore/http-client/PetStoreClient")<
  PetStoreClient,
  Methods & {
    readonly pets: {
      /** One page of pets, by ascending id. */
      readonly list: (
        query?: ListQuery,
        options?: CallOptions
      ) => Effect.Effect<Page, OperationError<"listPets">>
      /** All pets, page after page. */
      readonly stream: (
        query?: ListQuery,
        options?: CallOptions
      ) => Stream.Stream<Pet, OperationError<"listPets">>
    }
  }
>() {}

/** A client with these settings. */
export const make = (settings: Settings, exchange: Exchange = byFetch): PetStoreClient["Type"] => {
  const list = (query: ListQuery = {}, options?: CallOptions, seen?: Set<string>) =>
    call(settings, exchange, () => listPets(query, seen), options)
  const methods = methodsOf<Methods>((makeOperation, options) =>
    call(settings, exchange, makeOperation, options)
  )
  return {
    ...methods,
    pets: {
      ...methods.pets,
      list: (query, options) => list(query, options),
      stream: (query = {}, options) =>
        Stream.suspend(() => {
          const seen = new Set<string>()
          return Stream.paginateChunkEffect(query.after, (after) =>
            Effect.map(list({ ...query, after }, options, seen), ({ next, pets }) => [
              Chunk.unsafeFromArray(pets),
              Option.fromNullable(next)
            ])
          )
        })
    }
  }
}

/** @internal */
export const fromOptions = ({ apiKey, ...options }: Options, exchange: Exchange = byFetch) =>
  fromChecked(() => {
    const settingsWith = (key: PromiseOptions["apiKey"]) =>
      settingsOf({ ...inMillis(options), apiKey: key })
    if (Redacted.isRedacted(apiKey)) return make(settingsWith(Redacted.value(apiKey)), exchange)
    return make(
      settingsWith(() => ""),
      (settings, ...call) =>
        Effect.flatMap(apiKey, (key) =>
          exchange({ ...settings, apiKey: Redacted.value(key) }, ...call)
        )
    )
  })

/** A client; fails if an option is invalid. */
export const layer = (options: Options): Layer.Layer<PetStoreClient, InvalidInput> =>
  Layer.effect(PetStoreClient, fromOptions(options))

/** A client whose options are read from the configuration. */
export const layerConfig = (
  config: Config.Config.Wrap<Options>
): Layer.Layer<PetStoreClient, InvalidInput | ConfigError.ConfigError> =>
  Layer.unwrapEffect(Effect.map(Config.unwrap(config), layer))
