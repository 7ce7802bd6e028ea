/** The forms of the client, each with the interface of the one with promises. */
import type { Options, PetStore } from "@petstore/http-client"
import { type Settings, settingsOf } from "../../dist/internal/Settings.js"
import { make } from "../../dist/PetStore.js"
import { keys } from "./Service.ts"

/** Makes a client with a key of the service, and with settings that have no option. */
export type Open = (options: Partial<Options>, settings?: Partial<Settings>) => PetStore

const complete = (options: Partial<Options>): Options => ({
  baseUrl: "http://127.0.0.1:1",
  apiKey: keys.all,
  ...options
})

/** Every form by its name. */
export const forms: ReadonlyArray<{ readonly form: string; readonly open: Open }> = [
  {
    form: "promises",
    open: (options, settings) => make({ ...settingsOf(complete(options)), ...settings })
  }
]

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
