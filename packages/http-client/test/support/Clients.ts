/** Clients of the service of a test. */
import { createPetStore, type Options, type PetStore } from "@petstore/http-client"
import { vi } from "vitest"
import { keys } from "./Proxy.ts"

/** Makes a client with a key of the service, and jitter that hardly waits. */
export const open = (options: Partial<Options>): PetStore["pets"] => {
  // Here, as vitest restores mocks after each file.
  vi.spyOn(Math, "random").mockReturnValue(0.02)
  return createPetStore({ baseUrl: "http://127.0.0.1:1", apiKey: keys.all, ...options }).pets
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
