/** When a call tries again, by a clock of its own. */
import { afterEach, beforeEach, describe, expect, it, vi } from "@effect/vitest"
import { createPetStore, type Options } from "@petstore/http-client"
import { failure } from "./support/Clients.ts"

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] })
  vi.spyOn(Math, "random").mockReturnValue(0)
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
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
  const { pets } = createPetStore({ baseUrl: "http://pets.test", apiKey: "a", fetch, ...options })
  return { error: failure(pets.list()), tries: () => tries }
}

describe("a call", () => {
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
