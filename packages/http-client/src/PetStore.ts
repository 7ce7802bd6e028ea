/** The client. */
import * as Call from "./internal/Call.ts"
import { refuse } from "./internal/Checks.ts"
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

/** A page, from which the next one can be asked for. */
export interface PetPage extends Page {
  /** The list from the next page on, if there is one. Copies of a page lack it. */
  readonly nextPage: () => PetList | undefined
}

/**
 * The first page of a list, as a promise, and all its pets, page after page, as an async iterable. Nothing is sent
 * before it is awaited or iterated; the first page is asked for once.
 */
export interface PetList extends Result<PetPage>, AsyncIterable<Pet> {
  /** The pages, from the first to the last. */
  readonly pages: () => AsyncIterable<PetPage>
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
  /** The page that a query asks for; `seen` has where the pages of its walk start. */
  const pageAt = (
    query: ListQuery,
    options?: CallOptions,
    seen = new Set<string | undefined>()
  ): Operation<PetPage> => {
    const operation = listPets(query)
    seen.add(query.after)
    return {
      ...operation,
      decode: (...answer) => {
        const page = operation.decode(...answer)
        const { next } = page
        // Otherwise a walk over all pages would never end.
        if (next && seen.has(next)) refuse("the next page", "not be an earlier one")
        const nextPage = () => (next ? list({ ...query, after: next }, options) : undefined)
        // Not enumerable: pages are compared, copied and sent as what they contain.
        return Object.defineProperty(page, "nextPage", { value: nextPage }) as PetPage
      }
    }
  }
  const list = (query: ListQuery = {}, options?: CallOptions): PetList => {
    let first: Result<PetPage> | undefined
    const start = () => {
      first ??= call(() => pageAt(query, options), options)
      return first
    }
    const then: PetList["then"] = (...handlers) => start().then(...handlers)
    async function* pages() {
      const seen = new Set<string | undefined>()
      let page = await start()
      yield page
      while (page.next) {
        const after = page.next
        page = await call(() => pageAt({ ...query, after }, options, seen), options)
        yield page
      }
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
