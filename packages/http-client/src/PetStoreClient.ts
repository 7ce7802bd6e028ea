/** The client with Effect. */
import * as Chunk from "effect/Chunk"
import * as Config from "effect/Config"
import type * as ConfigError from "effect/ConfigError"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import type { InvalidInput, PetStoreError } from "./Errors.ts"
import { type CallOptions, call, fromChecked } from "./internal/EffectCall.ts"
import { createPet, getPet, listPets } from "./internal/Operations.ts"
import { type Settings, settingsOf } from "./internal/Settings.ts"
import type { Idempotency, Options as PromiseOptions } from "./Options.ts"
import type { ListQuery, NewPet, Page, Pet } from "./Pet.ts"

export type { CallOptions } from "./internal/EffectCall.ts"

/** The options of a client. */
export interface Options extends Omit<PromiseOptions, "apiKey" | "timeout"> {
  readonly apiKey: Redacted.Redacted
  /** The time for a call, retries included, or for each page of a stream; 30 seconds by default. */
  readonly timeout?: Duration.DurationInput | undefined
}

/** A client of a Pet Store service. */
export class PetStoreClient extends Context.Tag("@petstore/http-client/PetStoreClient")<
  PetStoreClient,
  {
    readonly pets: {
      /** One page of pets, by ascending id. */
      readonly list: (
        query?: ListQuery,
        options?: CallOptions
      ) => Effect.Effect<Page, PetStoreError>
      /** All pets, page after page. */
      readonly stream: (
        query?: ListQuery,
        options?: CallOptions
      ) => Stream.Stream<Pet, PetStoreError>
      /**
       * Adds a pet. Each run of the effect is a new create, also by `Effect.retry` and `Effect.repeat`, and may add
       * another pet, unless `idempotencyKey` is given.
       */
      readonly create: (
        pet: NewPet,
        options?: CallOptions & Idempotency
      ) => Effect.Effect<Pet, PetStoreError>
      /**
       * Gets a pet by its id.
       *
       * @deprecated The service removes this operation on 5 December 2030: list pets instead.
       */
      readonly get: (
        id: bigint | number,
        options?: CallOptions
      ) => Effect.Effect<Pet, PetStoreError>
    }
  }
>() {}

/** A client with these settings. */
export const make = (settings: Settings): PetStoreClient["Type"] => {
  const list = (query: ListQuery = {}, options?: CallOptions, seen?: Set<string>) =>
    call(settings, () => listPets(query, seen), options)
  return {
    pets: {
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
        }),
      create: (pet, options = {}) => call(settings, () => createPet(pet, options), options),
      get: (id, options) => call(settings, () => getPet(id), options)
    }
  }
}

const fromOptions = ({ apiKey, timeout, ...options }: Options) =>
  fromChecked(() =>
    make(
      settingsOf({
        ...options,
        apiKey: Redacted.value(apiKey),
        ...(timeout !== undefined && { timeout: Duration.toMillis(timeout) })
      })
    )
  )

/** A client; fails if an option is invalid. */
export const layer = (options: Options): Layer.Layer<PetStoreClient, InvalidInput> =>
  Layer.effect(PetStoreClient, fromOptions(options))

/** A client whose options are read from the configuration. */
export const layerConfig = (
  config: Config.Config.Wrap<Options>
): Layer.Layer<PetStoreClient, InvalidInput | ConfigError.ConfigError> =>
  Layer.effect(PetStoreClient, Effect.flatMap(Config.unwrap(config), fromOptions))
