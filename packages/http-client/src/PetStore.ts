/** The client with promises. */
import * as Call from "./internal/Call.ts"
import {
  listPets,
  methodsOf,
  type Operation,
  type PetOperations,
  petOperations
} from "./internal/Operations.ts"
import { type Settings, settingsOf } from "./internal/Settings.ts"
import type { CallOptions, Options } from "./Options.ts"
import type { ListQuery, Page, Pet } from "./Pet.ts"

/** The first page of a list, as a promise, and all its pets, page after page, as an async iterable. */
export interface PetList extends Promise<Page>, AsyncIterable<Pet> {
  /** The pages, from the first to the last. */
  readonly pages: () => AsyncIterable<Page>
}

/** A method for each of these operations. */
export type Methods<Operations> = {
  readonly [Name in keyof Operations]: Operations[Name] extends (
    input: infer Input,
    options: infer Own
  ) => Operation<infer A>
    ? (input: Input, options?: CallOptions & Own) => Promise<A>
    : never
}

/** A client of a Pet Store service. Calls reject with a `PetStoreError`, or with the reason of an aborted signal. */
export interface PetStore {
  readonly pets: Methods<PetOperations> & {
    /** Lists pets by ascending id. */
    readonly list: (query?: ListQuery, options?: CallOptions) => PetList
  }
}

/** Makes a client; throws an `InvalidInput` if an option is invalid. */
export const createPetStore = (options: Options): PetStore => make(settingsOf(options))

/** @internal */
export const make = (settings: Settings): PetStore => {
  const call = <A>(makeOperation: () => Operation<A>, options?: CallOptions) =>
    Call.call(settings, makeOperation, options)
  const list = (query: ListQuery = {}, options?: CallOptions) => {
    const pageAfter = (after: string | undefined, seen?: Set<string>) =>
      call(() => listPets({ ...query, after }, seen), options)
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
  }
  // Its methods have the types of the operations that they call.
  return { pets: { ...(methodsOf(petOperations, call) as Methods<PetOperations>), list } }
}
