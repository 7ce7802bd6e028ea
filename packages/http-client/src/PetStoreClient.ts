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
import * as EffectCall from "./internal/EffectCall.ts"
import { methodsOf, type Operation } from "./internal/Operation.ts"
import type { OperationError, OperationName, Operations } from "./internal/Operations.ts"
import * as Table from "./internal/Operations.ts"
import { type Settings, settingsOf } from "./internal/Settings.ts"
import type { Options as PromiseOptions } from "./Options.ts"
import type { ListQuery, Page, Pet } from "./Pet.ts"

/** The options of a call; interrupting it aborts its request. */
export interface CallOptions extends EffectCall.CallOptions {}

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
    ) => Operation<infer A, infer Name extends OperationName>
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

/** A client with these settings. @internal */
export const make = (
  settings: Settings,
  running: EffectCall.Running = () => ({})
): PetStoreClient["Type"] => {
  const call = <A, Name extends OperationName>(
    makeOperation: () => Operation<A, Name>,
    options?: CallOptions
  ) => EffectCall.call("PetStoreClient", settings, running, Table.errorOf, makeOperation, options)
  const list = (query: ListQuery = {}, options?: CallOptions, seen?: Set<string>) =>
    call(() => Table.listPets(query, seen), options)
  const methods = methodsOf<Methods, OperationName>(Table.operations, call)
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
export const fromOptions = ({ apiKey, ...options }: Options, running?: EffectCall.Running) =>
  EffectCall.fromChecked(() => {
    const key = Redacted.isRedacted(apiKey) ? Redacted.value(apiKey) : () => ""
    const settings = settingsOf({ ...EffectCall.inMillis(options), apiKey: key })
    if (Redacted.isRedacted(apiKey)) return make(settings, running)
    return make(settings, (runtime) => ({
      ...running?.(runtime),
      apiKey: (signal) => EffectCall.run(runtime, Effect.map(apiKey, Redacted.value), signal)
    }))
  })

/** A client; fails if an option is invalid. */
export const layer = (options: Options): Layer.Layer<PetStoreClient, InvalidInput> =>
  Layer.effect(PetStoreClient, fromOptions(options))

/** A client whose options are read from the configuration. */
export const layerConfig = (
  config: Config.Config.Wrap<Options>
): Layer.Layer<PetStoreClient, InvalidInput | ConfigError.ConfigError> =>
  Layer.unwrapEffect(Effect.map(Config.unwrap(config), layer))
