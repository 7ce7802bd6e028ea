/** The forms of the client, each with the interface of the one with promises. */
import { FetchHttpClient, HttpClient } from "@effect/platform"
import type { CallOptions, ListQuery, Method, Options, Page, Pet } from "@petstore/http-client"
import { Cause, Effect, Exit, Random, Record, Redacted, Stream } from "effect"
import { vi } from "vitest"
import type { Running } from "../../src/internal/EffectCall.ts"
import { byHttpClient } from "../../src/internal/HttpClientFetch.ts"
import * as PetStore from "../../src/PetStore.ts"
import * as PetStoreClient from "../../src/PetStoreClient.ts"
import { keys } from "./Proxy.ts"

/** Jitter that hardly waits. */
const jitter = 0.02

/** What every form can do. */
export interface Client extends Omit<PetStore.PetStore["pets"], "list"> {
  readonly list: (query?: ListQuery, options?: CallOptions) => Promise<Page>
  readonly all: (query?: ListQuery, options?: Omit<CallOptions, "signal">) => AsyncIterable<Pet>
}

/** Makes a client with a key of the service. */
export type Open = (options: Partial<Options>) => Client

const complete = (options: Partial<Options>): Options => ({
  baseUrl: "http://127.0.0.1:1",
  apiKey: keys.all,
  ...options
})

/** Every form by its name. */
export const forms: ReadonlyArray<{ readonly form: string; readonly open: Open }> = [
  {
    form: "promises",
    open: (options) => {
      // Here, as vitest restores mocks after each file.
      vi.spyOn(Math, "random").mockReturnValue(jitter)
      const { pets } = PetStore.createPetStore(complete(options))
      return { ...pets, all: pets.list }
    }
  },
  { form: "Effect", open: (options) => withPromises(complete(options)) }
]

/** Every form, and that with Effect by the `HttpClient` of `@effect/platform`. */
export const allForms: typeof forms = [
  ...forms,
  {
    form: "Effect and HttpClient",
    open: ({ fetch = globalThis.fetch, ...options }) => {
      const byFetch: typeof globalThis.fetch = async (url, init) => {
        const { body, headers, method } = new Request(url, { ...init, signal: null })
        return fetch(String(url), {
          method: method as Method,
          headers,
          body: body && (await new Response(body).text()),
          redirect: "manual",
          signal: init?.signal ?? new AbortController().signal
        })
      }
      const client = HttpClient.transformResponse(
        Effect.runSync(Effect.provide(HttpClient.HttpClient, FetchHttpClient.layer)),
        Effect.provideService(FetchHttpClient.Fetch, byFetch)
      )
      return withPromises(complete(options), byHttpClient(client))
    }
  }
]

/** The client with Effect. */
const withPromises = (options: Options, running?: Running): Client => {
  const { apiKey } = options
  const client = PetStoreClient.make({ ...options, apiKey: inEffect(apiKey) }, running)
  const { stream, ...pets } = Effect.runSync(client).pets
  const methods = Record.map(
    pets,
    (method) =>
      (input: never, { signal, ...options }: CallOptions = {}) =>
        run<unknown, unknown>(method(input, options), signal)
  )
  // Each has the types of its operation.
  const promised = methods as unknown as Omit<Client, "all">
  return { ...promised, all: (...query) => Stream.toAsyncIterable(stream(...query)) }
}

/** The key as clients with Effect take it. */
const inEffect = (apiKey: Options["apiKey"]) =>
  typeof apiKey === "function"
    ? Effect.map(
        Effect.promise(async () => apiKey()),
        Redacted.make
      )
    : Redacted.make(apiKey)

/** Runs an effect; the signal interrupts it. */
const run = async <A, E>(effect: Effect.Effect<A, E>, signal?: AbortSignal): Promise<A> => {
  const quick = Effect.withRandom(effect, Random.fixed([jitter]))
  const exit = await Effect.runPromiseExit(quick, { ...(signal && { signal }) })
  if (Exit.isSuccess(exit)) return exit.value
  throw Cause.isInterrupted(exit.cause) ? signal?.reason : Cause.squash(exit.cause)
}

/** What a promise rejects with. */
export const failure = async (promise: PromiseLike<unknown>): Promise<unknown> => {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error("expected a failure")
}

/** All items of an iterable. */
export const collect = async <A>(items: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const collected: Array<A> = []
  for await (const item of items) collected.push(item)
  return collected
}
