/** The client with promises. */
import * as Call from "./internal/Call.ts"
import { createPet, getPet, listPets } from "./internal/Operations.ts"
import { type Settings, settingsOf } from "./internal/Settings.ts"
import type { CallOptions, Idempotency, Options } from "./Options.ts"
import type { ListQuery, NewPet, Page, Pet } from "./Pet.ts"

/** The first page of a list, as a promise, and all its pets, page after page, as an async iterable. */
export interface PetList extends Promise<Page>, AsyncIterable<Pet> {
  /** The pages, from the first to the last. */
  readonly pages: () => AsyncIterable<Page>
}

/** A client of a Pet Store service. Calls reject with a `PetStoreError`, or with the reason of an aborted signal. */
export interface PetStore {
  readonly pets: {
    /** Lists pets by ascending id. */
    readonly list: (query?: ListQuery, options?: CallOptions) => PetList
    /** Adds a pet. Each call is a new create and may add another pet, unless `idempotencyKey` is given. */
    readonly create: (pet: NewPet, options?: CallOptions & Idempotency) => Promise<Pet>
    /**
     * Gets a pet by its id.
     *
     * @deprecated The service removes this operation on 5 December 2030: list pets instead.
     */
    readonly get: (id: bigint | number, options?: CallOptions) => Promise<Pet>
  }
}

/** Makes a client; throws an `InvalidInput` if an option is invalid. */
export const createPetStore = (options: Options): PetStore => make(settingsOf(options))

/** @internal */
export const make = (settings: Settings): PetStore => ({
  pets: {
    list: (query = {}, options) => {
      const pageAfter = (after: string | undefined, seen?: Set<string>) =>
        Call.call(settings, () => listPets({ ...query, after }, seen), options)
      const first = pageAfter(query.after)
      // Callers may await or iterate it later; until then its failure must not end their process.
      first.catch(() => {})
      async function* pages() {
        const seen = new Set<string>()
        let page = await first
        yield page
        while (page.next !== undefined) {
          page = await pageAfter(page.next, seen)
          yield page
        }
      }
      async function* pets() {
        for await (const page of pages()) yield* page.pets
      }
      return Object.assign(first, { pages, [Symbol.asyncIterator]: pets })
    },
    create: (pet, options = {}) => Call.call(settings, () => createPet(pet, options), options),
    get: (id, options) => Call.call(settings, () => getPet(id), options)
  }
})
