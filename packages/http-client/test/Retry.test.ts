import { describe, expect, it } from "@effect/vitest"
import { RateLimited, Unavailable } from "@petstore/http-client"
import { factsOf } from "../src/internal/Answer.ts"
import { waitAfter } from "../src/internal/Call.ts"

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
    [new Date(0).toUTCString(), undefined]
  ])("takes seconds or a date that has not passed: %j", (text, seconds) => {
    const headers = { "Retry-After": text }
    expect(factsOf(new Response(null, { headers })).retryAfter).toBe(seconds)
  })
})
