/** The client with promises. */
import * as Call from "./internal/Call.ts"
import { methodsOf, type Operation } from "./internal/Operation.ts"
import { listPets, type OperationName, type Operations, operations } from "./internal/Operations.ts"
import { settingsOf } from "./internal/Settings.ts"
import type { CallOptions, Options } from "./Options.ts"
import type { ListQuery, Page, Pet } from "./Pet.ts"

/**
 * The first page of a list, as a promise, and all its pets, page after page, as an async iterable. Nothing is sent
 * before it is awaited or iterated; the first page is asked for once.
 */
export interface PetList extends Promise<Page>, AsyncIterable<Pet> {
  /** The pages, from the first to the last. */
  readonly pages: () => AsyncIterable<Page>
}

/** A method for each operation, by resource. */
export type Methods = {
  readonly [Resource in keyof Operations]: {
    readonly [Name in keyof Operations[Resource]]: Operations[Resource][Name] extends (
      input: infer Input,
      options: infer Own
    ) => Operation<infer A>
      ? (input: Input, options?: CallOptions & Own) => Promise<A>
      : never
  }
}

/**
 * A client of a Pet Store service. Calls reject with a `PetStoreError`, with the reason of an aborted signal, or with
 * what a function of the options throws.
 */
export type PetStore = Methods & {
  /** A client with these options instead of its own; throws an `InvalidInput` if one is invalid. */
  readonly withOptions: (options: Partial<Options>) => PetStore
  readonly pets: {
    /** Lists pets by ascending id. */
    readonly list: (query?: ListQuery, options?: CallOptions) => PetList
  }
}

const timing: Call.Timing = {
  now: () => performance.now(),
  after: (millis, run) => {
    const timer = setTimeout(run, millis)
    return () => clearTimeout(timer)
  },
  delayAfter: (...failure) => Call.waitAfter(...failure, Math.random())
}

/** Makes a client; throws an `InvalidInput` if an option is invalid. */
export const createPetStore = (options: Options): PetStore => {
  const settings = settingsOf(options)
  const call = <A>(makeOperation: () => Operation<A>, options?: CallOptions) =>
    Call.call(timing, settings, makeOperation, options)
  const list = (query: ListQuery = {}, options?: CallOptions) => {
    const pageAfter = (after: string | undefined, seen?: Set<string>) =>
      call(() => listPets({ ...query, after }, seen), options)
    let first: Promise<Page> | undefined
    const then: Promise<Page>["then"] = (...handlers) => {
      first ??= pageAfter(query.after)
      return first.then(...handlers)
    }
    async function* pages() {
      const seen = new Set<string>()
      let page = await list
      yield page
      while (page.next !== undefined) {
        page = await pageAfter(page.next, seen)
        yield page
      }
    }
    async function* pets() {
      for await (const page of pages()) yield* page.pets
    }
    // Its other methods are those of a promise, which call `then`.
    const list: PetList = Object.assign(Object.create(Promise.prototype), {
      then,
      pages,
      [Symbol.asyncIterator]: pets
    })
    return list
  }
  const methods = methodsOf<Methods, OperationName>(operations, call)
  return {
    ...methods,
    pets: { ...methods.pets, list },
    withOptions: (other) => createPetStore({ ...options, ...other })
  }
}
