import { describe, expect, it } from "@effect/vitest"
import { failure, open } from "./support/Clients.ts"
import { answer, type Fault, hangUp, refuse, stall, startProxy } from "./support/Proxy.ts"

/** Long enough for any machine. */
const patience = { timeout: 50_000 }

const unavailable = refuse(503, "unavailable")

describe("the client, if the service fails", () => {
  /** A service with one pet, behind these faults. */
  const behind = async (...faults: ReadonlyArray<Fault>) => {
    const proxy = await startProxy(faults, { pets: [{ name: "Rex", categoryId: 1 }] })
    const pets = open({ baseUrl: proxy.url, ...patience })
    return { pets, proxy, tries: () => proxy.requests.length }
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
    const other = await behind(answer(502, "<h1>"), hangUp)
    expect(await failure(other.pets.list({}, { retries: 0 }))).toMatchObject({
      code: "unavailable",
      status: 502,
      message: "status 502"
    })
    const lost = await failure(other.pets.list({}, { retries: 0 }))
    expect(lost).toMatchObject({ code: "network_failure" })
    expect(lost).not.toHaveProperty("status")
    expect(lost).toHaveProperty("message", expect.stringMatching(/^http:\S+\/v1 did not answer: ./))
    expect(lost).toHaveProperty("cause", expect.any(Error))
    expect(other.tries()).toBe(2)
  })

  it("waits for as long as the service asks", async () => {
    const { pets, tries } = await behind(refuse(429, "rate_limited", { "Retry-After": "1" }))
    const start = performance.now()
    expect(await pets.get(1)).toEqual(rex)
    expect(performance.now() - start).toBeGreaterThan(990)
    expect(tries()).toBe(2)
  })

  it("does not wait beyond its timeout", async () => {
    const date = new Date(Date.now() + 3600_000).toUTCString()
    for (const [retryAfter, seconds] of [
      ["120", 120],
      [date, expect.closeTo(3600, -3)]
    ] as const) {
      const { pets, tries } = await behind(
        refuse(429, "rate_limited", { "Retry-After": retryAfter })
      )
      const error = await failure(pets.list())
      expect(error).toMatchObject({ code: "rate_limited", retryAfter: seconds })
      expect(tries()).toBe(1)
    }
  })

  it("fails when its time is over, and tells the error of the last try", async () => {
    const { pets, tries } = await behind(unavailable, stall)
    expect(await failure(pets.list({}, { timeout: 1000 }))).toMatchObject({
      code: "timed_out",
      cause: { code: "unavailable" }
    })
    expect(tries()).toBe(2)
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
      [204, ""],
      [404, "<h1>not found</h1>"],
      [500, "{}"],
      [400, "null"]
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

  it("visits every pet once, though the service is gone for a while", async () => {
    const { pets, proxy } = await behind()
    for (let n = 2; n <= 6; n++) await pets.add({ name: `pet ${n}`, categoryId: n })
    const ids: Array<bigint> = []
    for await (const { id } of pets.all({ limit: 2 }, { retries: 20 })) {
      ids.push(id)
      if (id === 2n) {
        await proxy.die()
        // It comes back while the client is trying.
        setTimeout(proxy.comeBack, 700)
      }
    }
    expect(ids).toEqual([1n, 2n, 3n, 4n, 5n, 6n])
  })
})
