import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "@effect/vitest"
import { type Fetch, type Options, RateLimited, Unavailable } from "@petstore/http-client"
import { factsOf } from "../src/internal/Answer.ts"
import { waitAfter } from "../src/internal/Call.ts"
import {
  answer,
  collect,
  type Fault,
  failure,
  hangUp,
  open,
  refuse,
  startProxy
} from "./support/Clients.ts"

describe("waitAfter", () => {
  const error = new Unavailable("busy", { status: 503 })

  it("is random up to a limit that doubles, but not for ever", () => {
    const limits = [1, 2, 3, 4, 5, 6, 100].map((failures) => waitAfter(error, failures, 100, 1))
    expect(limits).toEqual([500, 1000, 2000, 4000, 8000, 8000, 8000])
    expect(waitAfter(error, 3, 3, 0)).toBe(0)
    expect(waitAfter(error, 3, 3, 0.25)).toBe(500)
  })

  it("comes after the time that the service asks for", () => {
    const limited = new RateLimited("slow down", { status: 429, retryAfter: 3 })
    expect(waitAfter(limited, 1, 2, 0)).toBe(3000)
    expect(waitAfter(limited, 2, 2, 0.5)).toBe(3500)
  })

  it.each([
    ["0", 0],
    ["60", 60],
    ["60 apples", undefined],
    ["", undefined],
    [new Date(0).toUTCString(), undefined],
    [new Date(Date.now() + 3600_000).toUTCString(), expect.closeTo(3600, -3)]
  ])("takes seconds or a date that has not passed: %j", (text, seconds) => {
    const headers = { "Retry-After": text }
    expect(factsOf(new Response(null, { headers })).retryAfter).toEqual(seconds)
  })
})

const minute = 60_000
const hour = 60 * minute

/** Lists with a `fetch` that asks for these waits, one after the other, and then does not answer. */
const listing = (
  waits: ReadonlyArray<readonly [status: number, seconds: number]>,
  options: Partial<Options>
) => {
  let tries = 0
  const fetch = async () => {
    const [status, seconds] = waits[tries++] ?? []
    if (status === undefined) return new Promise<Response>(() => {})
    const code = status === 429 ? "rate_limited" : "unavailable"
    return Response.json({ code }, { status, headers: { "Retry-After": String(seconds) } })
  }
  return { error: failure(open({ fetch, ...options }).list()), tries: () => tries }
}

describe("a call, by a clock of its own", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] })
  })
  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })

  it("waits for as long as it is asked to, until its time is over", async () => {
    const { error, tries } = listing(
      [
        [429, 3600],
        [503, 120]
      ],
      { timeout: 2 * hour }
    )
    await vi.advanceTimersByTimeAsync(59 * minute)
    expect(tries()).toBe(1)
    await vi.advanceTimersByTimeAsync(2 * minute)
    expect(tries()).toBe(2)
    await vi.advanceTimersByTimeAsync(2 * minute)
    expect(tries()).toBe(3)
    await vi.advanceTimersByTimeAsync(2 * hour)
    // The cause is the error of the last try.
    expect(await error).toMatchObject({ code: "timed_out", cause: { code: "unavailable" } })
    expect(vi.getTimerCount()).toBe(0)
  })

  it("does not wait beyond what is left of its time", async () => {
    const waits = [
      [429, 3600],
      [429, 3600]
    ] as const
    const { error, tries } = listing(waits, { timeout: 2 * hour })
    await vi.advanceTimersByTimeAsync(61 * minute)
    expect(await error).toMatchObject({ code: "rate_limited" })
    expect(tries()).toBe(2)
  })

  it("does not wait until the very end of its time", async () => {
    const { error, tries } = listing([[503, 30]], { timeout: 30_000 })
    expect(await error).toMatchObject({ code: "unavailable", retryAfter: 30 })
    expect(tries()).toBe(1)
  })
})

/** Long enough for any machine. */
const patience = { timeout: 50_000 }

const unavailable = refuse(503, "unavailable")

describe("the client, if the service fails", () => {
  /** A service with one pet, behind these faults. */
  const behind = async (...faults: ReadonlyArray<Fault>) => {
    const proxy = await startProxy(faults, { pets: [{ name: "Rex", categoryId: 1 }] })
    const pets = open({ baseUrl: proxy.url, ...patience })
    return { pets, tries: () => proxy.requests.length }
  }
  const rex = { id: 1n, name: "Rex", categoryId: 1n }

  it("tries a read again after 503, 502, 504 and 429", async () => {
    const { pets, tries } = await behind(unavailable, unavailable)
    expect(await pets.list()).toMatchObject({ pets: [rex] })
    expect(tries()).toBe(3)
    const gateway = "<h1>Bad gateway</h1>"
    const other = await behind(answer(502, gateway), answer(504, gateway), answer(429, ""))
    expect(await other.pets.get(1, { retries: 3 })).toEqual(rex)
    expect(other.tries()).toBe(4)
  })

  it("gives up after the last retry, with the error of the last try", async () => {
    const { pets, tries } = await behind(
      hangUp,
      hangUp,
      refuse(503, "unavailable", { "X-Request-Id": "a" })
    )
    expect(await failure(pets.list())).toMatchObject({
      code: "unavailable",
      status: 503,
      requestId: "a",
      message: "as you wish"
    })
    expect(tries()).toBe(3)
    const other = await behind(hangUp)
    const lost = await failure(other.pets.list({}, { retries: 0 }))
    expect(lost).toMatchObject({ code: "network_failure" })
    expect(lost).not.toHaveProperty("status")
    expect(lost).toHaveProperty("message", expect.stringMatching(/^http:\S+\/v1 did not answer: ./))
    expect(lost).toHaveProperty("cause", expect.any(Error))
    expect(other.tries()).toBe(1)
  })

  it("recognises answers that are not of a Pet Store, and does not try again", async () => {
    const answers: ReadonlyArray<Parameters<typeof answer>> = [
      [200, "<h1>hello</h1>"],
      [200, "[{}]"],
      [200, '[{"id":1,"name":"a","categoryId":1.5}]'],
      [200, '[{"id":1234567890123456789,"name":"a","categoryId":"1234567890123456789"}]'],
      [200, '[{"id":9223372036854775808,"name":"a","categoryId":1}]'],
      [200, '[{"id":1,"name":"a","categoryId":1,"status":1}]'],
      [200, "{}"],
      [200, "[]", { Link: '</v1/pets?page=2>; rel="next"' }],
      [404, "<h1>not found</h1>"],
      [500, "{}"]
    ]
    const { pets, tries } = await behind(...answers.map((one) => answer(...one)))
    for (const [status] of answers) {
      expect(await failure(pets.list())).toMatchObject({ code: "invalid_answer", status })
    }
    expect(tries()).toBe(answers.length)
  })

  it.each([301, 302, 303, 307, 308])(
    "neither follows a redirect with status %i nor tries again",
    async (status) => {
      const other = await startProxy()
      const { pets, tries } = await behind(answer(status, "", { Location: `${other.url}/v1/pets` }))
      expect(await failure(pets.list())).toMatchObject({
        code: "invalid_answer",
        status,
        message: expect.stringMatching(
          `/v1 did not answer as a Pet Store: status ${status}, a redirect$`
        )
      })
      expect(tries()).toBe(1)
      expect(other.requests).toEqual([])
    }
  )

  it("tells the kind of a failure that has no message", async () => {
    const fetch = () => Promise.reject(new AggregateError([]))
    const error = await failure(open({ fetch, retries: 0 }).list())
    expect(error).toHaveProperty("message", "http://127.0.0.1:1/v1 did not answer: AggregateError")
  })
})

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

describe("a call that is aborted", () => {
  it("leaves no timer behind if it is aborted between its tries", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    onTestFinished(() => void vi.useRealTimers())
    const { abort, signal } = aborter()
    const headers = { "Retry-After": "20" }
    const fetch = async () => Response.json({}, { status: 503, headers })
    expect(await failure(open({ fetch, onRetry: abort }).list({}, { signal }))).toBe(reason)
    expect(vi.getTimerCount()).toBe(0)
  })

  it("leaves no listener at the caller's signal", async () => {
    const { signal } = aborter()
    const added = vi.spyOn(signal, "addEventListener")
    const removed = vi.spyOn(signal, "removeEventListener")
    const fetch = async () => Response.json([])
    const pets = open({ fetch })
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
    const pets = open({ fetch })
    expect(await failure(collect(pets.list({}, { signal })))).toBe(reason)
  })

  it("sends nothing if it was aborted before", async () => {
    const fetch = vi.fn()
    const pets = open({ fetch })
    expect(await failure(pets.list({}, { signal: AbortSignal.abort(reason) }))).toBe(reason)
    expect(fetch).not.toHaveBeenCalled()
  })
})

const aborter = () => {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort(reason) }
}
