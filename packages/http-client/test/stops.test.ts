import { describe, expect, it, onTestFinished, vi } from "@effect/vitest"
import { createPetStore, type Fetch } from "@petstore/http-client"
import { failure, open } from "./support/Clients.ts"

const never = new Promise<never>(() => {})
const reason = new Error("enough")

const stopped = vi.fn()

/** Each ignores the signal, or that its body is not read any further, but notes it. */
const fetches: ReadonlyArray<{ readonly what: string; readonly fetch: Fetch }> = [
  { what: "no answer", fetch: () => never },
  {
    what: "no end of an answer",
    fetch: async () => new Response(new ReadableStream({ cancel: stopped }))
  }
]

describe("the client, if fetch ignores its signal", () => {
  it.each(fetches)("fails when its time is over: $what", async ({ fetch }) => {
    expect(await failure(open({ fetch }).list({}, { timeout: 50 }))).toMatchObject({
      code: "timed_out",
      message: "no answer within 50 ms"
    })
  })

  it.each(fetches)("stops when it is aborted: $what", async ({ fetch }) => {
    const { abort, signal } = aborter()
    const pets = open({
      fetch: (url, init) => {
        setTimeout(abort)
        init.signal.addEventListener("abort", stopped)
        return fetch(url, init)
      }
    })
    stopped.mockClear()
    expect(await failure(pets.list({}, { signal }))).toBe(reason)
    await vi.waitFor(() => expect(stopped).toHaveBeenCalled())
  })

  it("stops when it is aborted between its tries", async () => {
    const { abort, signal } = aborter()
    const headers = { "Retry-After": "20" }
    const fetch = vi.fn(async () => Response.json({}, { status: 503, headers }))
    const pets = open({ fetch, onRetry: () => void setTimeout(abort) })
    expect(await failure(pets.list({}, { signal }))).toBe(reason)
    expect(fetch).toHaveBeenCalledTimes(1)
  })

  it("does not show a response that comes too late", async () => {
    let answer = () => {}
    const fetch: Fetch = () =>
      new Promise((resolve) => {
        answer = () => resolve(Response.json([]))
      })
    const seen: Array<Response> = []
    const onResponse = (response: Response) => void seen.push(response)
    await failure(open({ fetch }).list({}, { timeout: 50, onResponse }))
    answer()
    await new Promise(setImmediate)
    expect(seen).toEqual([])
  })

  it.each([503, 404, 200])("stops when onResponse aborts it, at status %i", async (status) => {
    const { abort, signal } = aborter()
    let tries = 0
    const fetch: Fetch = async () => {
      tries++
      return Response.json([], { status, headers: { "Retry-After": "20" } })
    }
    expect(await failure(open({ fetch }).list({}, { signal, onResponse: abort }))).toBe(reason)
    expect(tries).toBe(1)
  })
})

describe("createPetStore", () => {
  it("leaves no timer behind if it is aborted between its tries", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    onTestFinished(() => void vi.useRealTimers())
    const { abort, signal } = aborter()
    const headers = { "Retry-After": "20" }
    const fetch = async () => Response.json({}, { status: 503, headers })
    const options = { baseUrl: "http://pets.test", apiKey: "key", fetch, onRetry: abort }
    expect(await failure(createPetStore(options).pets.list({}, { signal }))).toBe(reason)
    expect(vi.getTimerCount()).toBe(0)
  })

  it("leaves no listener at the caller's signal", async () => {
    const { signal } = aborter()
    const added = vi.spyOn(signal, "addEventListener")
    const removed = vi.spyOn(signal, "removeEventListener")
    const fetch = async () => Response.json([])
    const { pets } = createPetStore({ baseUrl: "http://pets.test", apiKey: "key", fetch })
    await pets.list({}, { signal })
    expect(added).toHaveBeenCalled()
    expect(removed.mock.calls).toEqual(added.mock.calls)
  })

  it("stops when it is aborted while it asks for a further page", async () => {
    const { abort, signal } = aborter()
    let pages = 0
    const fetch: Fetch = async () => {
      if (++pages === 2) abort()
      return Response.json([], { headers: { link: "</v1/pets?cursor=a>; rel=next" } })
    }
    const { pets } = createPetStore({ baseUrl: "http://pets.test", apiKey: "key", fetch })
    const list = pets.list({}, { signal })
    expect(await failure(list.then((first) => first.nextPage()))).toBe(reason)
  })

  it("sends nothing if it was aborted before", async () => {
    const fetch = vi.fn()
    const { pets } = createPetStore({ baseUrl: "http://pets.test", apiKey: "key", fetch })
    expect(await failure(pets.list({}, { signal: AbortSignal.abort(reason) }))).toBe(reason)
    expect(fetch).not.toHaveBeenCalled()
  })
})

const aborter = () => {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort(reason) }
}
