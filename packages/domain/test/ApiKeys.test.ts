import { describe, expect, it } from "@effect/vitest"
import * as ApiKeys from "@petstore/domain/ApiKeys"
import { Effect } from "effect"

const known = ApiKeys.KeyDigest.make("a".repeat(64))
const unknown = ApiKeys.KeyDigest.make("b".repeat(64))
const key: ApiKeys.ApiKey = { digest: known, scopes: new Set(["pets:read"]) }

describe("ApiKeys", () => {
  it.effect("knows its keys by their digests, and no others", () =>
    Effect.gen(function* () {
      const keys = yield* ApiKeys.ApiKeys
      expect(yield* keys.authenticate(known)).toBe(key)
      expect(yield* Effect.flip(keys.authenticate(unknown))).toMatchObject({
        _tag: "UnknownApiKey"
      })
    }).pipe(Effect.provide(ApiKeys.layer([key])))
  )

  it("takes nothing for a digest but a SHA-256 in hexadecimal", () => {
    expect(() => ApiKeys.KeyDigest.make("my-secret-key")).toThrow()
  })
})
