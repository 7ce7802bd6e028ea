import { describe, expect, it } from "@effect/vitest"
import { ConfigProvider, Duration, Effect } from "effect"
import { AppConfig } from "../src/AppConfig.ts"

/** The limit of each process. */
const limitOf = (PETSTORE_RATE_LIMIT: string, PETSTORE_WORKERS: string) =>
  Effect.map(AppConfig, ({ rateLimit }) => rateLimit).pipe(
    Effect.withConfigProvider(ConfigProvider.fromJson({ PETSTORE_RATE_LIMIT, PETSTORE_WORKERS }))
  )

describe("a rate limit", () => {
  it.effect.each([
    { limit: "600/1m", workers: "1", share: 600 },
    { limit: "600/1m", workers: "4", share: 150 },
    { limit: "10/1m", workers: "4", share: 3 },
    { limit: "2/1m", workers: "4", share: 1 }
  ])("of $limit is $share on each of $workers workers", ({ limit, share, workers }) =>
    Effect.gen(function* () {
      const window = Duration.minutes(1)
      expect(yield* limitOf(limit, workers)).toEqual({ count: share, window })
    })
  )

  it.effect("is none unless it is set", () =>
    Effect.gen(function* () {
      expect(yield* limitOf("", "4")).toBeUndefined()
    })
  )
})
