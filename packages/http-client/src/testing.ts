/** A Pet Store in memory, for the tests of callers: no server, no network. */
import type { ErrorCode } from "./Errors.ts"
import { complete, refuse } from "./internal/FakeAnswer.ts"
import { type Contents, makeService } from "./internal/FakeService.ts"
import { settingsOf } from "./internal/Settings.ts"
import type { Options } from "./Options.ts"
import { createPetStore, type PetStore } from "./PetStore.ts"

export { errorStatuses } from "./internal/FakeAnswer.ts"
export type { Scope } from "./internal/FakeRequest.ts"
export type { Contents } from "./internal/FakeService.ts"

/** The options of a fake: those of its client, and what it has. */
export interface FakeOptions extends Omit<Partial<Options>, "fetch">, Contents {}

/** A request that the fake got. */
export interface FakeRequest extends Pick<Request, "method" | "url" | "headers"> {
  readonly body: string
}

/** A client of a Pet Store in memory. */
export interface FakePetStore extends PetStore {
  /** Answers as the service does: the `fetch` of other clients of this store, such as one with Effect. */
  readonly fetch: (url: string | URL | Request, init?: RequestInit) => Promise<Response>
  /** The requests that it got, from the first. */
  readonly requests: ReadonlyArray<FakeRequest>
  /**
   * Makes the next requests fail: one, unless more are asked for. Those that are `timed_out` get no answer, and fail
   * when their time is over. Nothing is stored.
   */
  readonly failNext: (code: ErrorCode | "network_failure" | "timed_out", times?: number) => void
}

/** Makes a client of a new store. It does not retry, unless `retries` says so. */
export const makeFakePetStore = ({ apiKeys, pets, ...own }: FakeOptions = {}): FakePetStore => {
  const failures: Array<Parameters<FakePetStore["failNext"]>[0]> = []
  const requests: Array<FakeRequest> = []
  const [apiKey = "fake"] = Object.keys(apiKeys ?? {})
  const options = { baseUrl: "http://pets.test", apiKey, retries: 0, ...own }
  const root = new URL(settingsOf(options).baseUrl).pathname
  const answer = makeService(root, { apiKeys, pets })

  const fetch: FakePetStore["fetch"] = async (...given) => {
    const request = new Request(...given)
    const { headers, method, signal, url } = request
    signal.throwIfAborted()
    requests.push({ method, url, headers, body: await request.clone().text() })
    const failure = failures.shift()
    if (failure === "network_failure")
      throw new TypeError("fetch failed", { cause: new Error("made to fail") })
    if (failure === "timed_out")
      return new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason))
      })
    return complete(failure ? refuse(failure, "made to fail") : await answer(request), request)
  }
  return {
    ...createPetStore({ ...options, fetch }),
    fetch,
    requests,
    failNext: (code, times = 1) => {
      for (let n = 0; n < times; n++) failures.push(code)
    }
  }
}
