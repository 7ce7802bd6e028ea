/** Clients with promises, of any service. */
import * as Call from "./internal/Call.ts"
import {
  type AnyQuery,
  type Following,
  type ItemOf,
  type List,
  methodsOf,
  type Operation,
  pageOf,
  type Seen,
  type Service,
  type Table
} from "./internal/Operation.ts"
import { settingsOf } from "./internal/Settings.ts"
import type { Answered, CallOptions, Options } from "./Options.ts"

/** The promise of a result. */
export interface Result<A> extends Promise<A> {
  /** The result with its response: the request id, the headers, and whether the answer was replayed. */
  readonly withResponse: () => Promise<Answered<A>>
}

/** A page, from which the next one can be asked for. */
export type PageOf<Page, Item> = Page & {
  /** The list from the next page on, if there is one. Copies of a page lack it. */
  readonly nextPage: () => ListOf<Page, Item> | undefined
}

/**
 * The first page of a list, as a promise, and all its items, page after page, as an async iterable. Nothing is sent
 * before it is awaited or iterated; the first page is asked for once.
 */
export interface ListOf<Page, Item> extends Result<PageOf<Page, Item>>, AsyncIterable<Item> {
  /** The pages, from the first to the last. */
  readonly pages: () => AsyncIterable<PageOf<Page, Item>>
}

/** The method of an operation, or of a list. */
export type MethodOf<Entry> = Entry extends {
  readonly page: (query: infer Query) => Operation<infer Page>
  readonly items: infer Field
}
  ? (query?: Query, options?: CallOptions) => ListOf<Page, ItemOf<Page, Field>>
  : Entry extends (input: infer Input, options: infer Own) => Operation<infer A>
    ? (input: Input, options?: CallOptions & Own) => Result<A>
    : never

/** A method for each operation of a table, by resource. */
export type MethodsOf<Operations extends Table> = {
  readonly [Resource in keyof Operations]: {
    readonly [Name in keyof Operations[Resource]]: MethodOf<Operations[Resource][Name]>
  }
}

/**
 * A client of a service. Calls reject with an error of the client, with the reason of an aborted signal, or with what
 * a function of the options throws.
 */
export type Client<Operations extends Table> = MethodsOf<Operations> & {
  /** A client with these options instead of its own; throws an `InvalidInput` if one is invalid. */
  readonly withOptions: (options: Partial<Options>) => Client<Operations>
  /** Sends an operation that the table lacks, with the same retries, errors and hooks. */
  readonly request: <A>(operation: Operation<A>, options?: CallOptions) => Result<A>
}

/** A list, as the methods of any table return it. */
interface AnyList extends Result<Following<AnyList>> {}

const timing: Call.Timing = {
  now: () => performance.now(),
  after: (millis, run) => {
    const timer = setTimeout(run, millis)
    return () => clearTimeout(timer)
  },
  delayAfter: (...failure) => Call.waitAfter(...failure, Math.random())
}

/** Makes a client of a service; throws an `InvalidInput` if an option is missing or invalid. */
export const createClient = <Operations extends Table>(
  service: Service<Operations>,
  options: Options
): Client<Operations> => {
  const settings = settingsOf(service, options)
  const call = <A>(makeOperation: () => Operation<A>, options?: CallOptions): Result<A> => {
    const answered = Call.call(timing, settings, makeOperation, options)
    const result = answered.then(({ data }) => data)
    const withResponse = () => {
      // Its failure is that of the promise which is returned.
      result.catch(() => {})
      return answered
    }
    return Object.assign(result, { withResponse })
  }
  const walk = (entry: List) => {
    const list = (query: AnyQuery = {}, options?: CallOptions, seen?: Seen): AnyList => {
      let first: Result<Following<AnyList>> | undefined
      const start = () => {
        first ??= call(
          () => pageOf(entry, query, (next, seen) => list(next, options, seen), seen),
          options
        )
        return first
      }
      const then: AnyList["then"] = (...handlers) => start().then(...handlers)
      async function* pages() {
        const seen: Seen = new Set()
        let page: Following<AnyList> | undefined = await start()
        for (; page; page = await page.nextPage(seen)) yield page
      }
      async function* items() {
        for await (const page of pages()) yield* Reflect.get(page, entry.items)
      }
      // Its other methods are those of a promise, which call `then`.
      return Object.assign(Object.create(Promise.prototype), {
        then,
        withResponse: () => start().withResponse(),
        pages,
        [Symbol.asyncIterator]: items
      })
    }
    return list
  }
  return {
    ...methodsOf<MethodsOf<Operations>>(service.operations, call, walk),
    request: (operation, options) => call(() => operation, options),
    withOptions: (other) => createClient(service, { ...options, ...other })
  }
}
