/** The client. */
import { fail } from "./Failure.ts"
import * as Call from "./internal/Call.ts"
import type { Operation } from "./internal/Operation.ts"
import { addPet, getPet, listPets } from "./internal/Operations.ts"
import { settingsOf } from "./internal/Settings.ts"
import type { Answered, CallOptions, Idempotency, Options } from "./Options.ts"
import type { ListQuery, NewPet, Page, Pet } from "./Pet.ts"

export type { Operation }

/** The promise of a result. */
export interface Result<A> extends Promise<A> {
  /** The result with its response: the request id, the headers, and whether the answer was replayed. */
  readonly withResponse: () => Promise<Answered<A>>
}

/**
 * The first page of a list, as a promise, and all its pets, page after page, as an async iterable. Nothing is sent
 * before it is awaited or iterated; the first page is asked for once.
 */
export interface PetList extends Result<Page>, AsyncIterable<Pet> {
  /** The pages, from the first to the last. */
  readonly pages: () => AsyncIterable<Page>
}

/**
 * A client of a Pet Store service. Calls reject with a `PetStoreError`, with the reason of an aborted signal, or with what
 * a function of the options throws.
 */
export interface PetStore {
  readonly pets: {
    /** Adds a pet. Each call may add another pet, unless `idempotencyKey` is given. */
    readonly add: (pet: NewPet, options?: CallOptions & Idempotency) => Result<Pet>
    /**
     * Gets a pet by its id.
     *
     * @deprecated The service removes this operation on 5 December 2030: list pets instead.
     */
    readonly get: (id: bigint | number, options?: CallOptions) => Result<Pet>
    /** Lists pets by ascending id. */
    readonly list: (query?: ListQuery, options?: CallOptions) => PetList
  }
  /** A client with these options instead of its own; throws an `InvalidInput` if one is invalid. */
  readonly withOptions: (options: Partial<Options>) => PetStore
  /** Sends an operation that the client lacks, with the same retries, errors and hooks. */
  readonly request: <A>(operation: Operation<A>, options?: CallOptions) => Result<A>
}

/** Makes a client; throws an `InvalidInput` if an option is missing or invalid. */
export const createPetStore = (options: Options): PetStore => {
  const settings = settingsOf(options)
  const call = <A>(makeOperation: () => Operation<A>, options?: CallOptions): Result<A> => {
    const answered = Call.call(settings, makeOperation, options)
    const result = answered.then(({ data }) => data)
    const withResponse = () => {
      // Its failure is that of the promise which is returned.
      result.catch(() => {})
      return answered
    }
    return Object.assign(result, { withResponse })
  }
  const list = (query: ListQuery = {}, options?: CallOptions): PetList => {
    const pageAt = (after?: string) =>
      call(() => listPets(after === undefined ? query : { ...query, after }), options)
    let first: Result<Page> | undefined
    const start = () => {
      first ??= pageAt()
      return first
    }
    const then: PetList["then"] = (...handlers) => start().then(...handlers)
    async function* pages() {
      let page = await start()
      const seen = new Set([query.after])
      while (page.next) {
        // Otherwise a walk over all pages would never end.
        if (seen.has(page.next)) throw fail("invalid_answer", "the next page is an earlier one")
        seen.add(page.next)
        yield page
        page = await pageAt(page.next)
      }
      yield page
    }
    async function* pets() {
      for await (const { pets } of pages()) yield* pets
    }
    // Its other methods are those of a promise, which call `then`.
    return Object.assign(Object.create(Promise.prototype), {
      then,
      withResponse: () => start().withResponse(),
      pages,
      [Symbol.asyncIterator]: pets
    })
  }
  return {
    pets: {
      add: (pet, options = {}) => call(() => addPet(pet, options), options),
      get: (id, options) => call(() => getPet(id), options),
      list
    },
    request: (operation, options) => call(() => operation, options),
    withOptions: (other) => createPetStore({ ...options, ...other })
  }
}
