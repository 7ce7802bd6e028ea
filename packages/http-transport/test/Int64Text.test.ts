import { expect, it } from "@effect/vitest"
import { Int64Text } from "@petstore/http-transport/Int64Text"
import * as Int64 from "@petstore/kernel/Int64"
import { Either, FastCheck, Schema } from "effect"

const Path = Schema.Struct({ at: Int64Text })
const Query = Schema.Struct({
  at: Schema.optionalWith(Int64Text, { exact: true, default: () => 7n })
})
const decoders = [Schema.decodeUnknownEither(Path), Schema.decodeUnknownEither(Query)]
const encoders = [Schema.encodeSync(Path), Schema.encodeSync(Query)]

it("reads and writes every 64-bit integer, in a path and in a query", () => {
  FastCheck.assert(
    FastCheck.property(FastCheck.bigInt({ min: Int64.min, max: Int64.max }), (at) => {
      const text = String(at)
      for (const decode of decoders) expect(decode({ at: text })).toEqual(Either.right({ at }))
      for (const encode of encoders) expect(encode({ at })).toEqual({ at: text })
    })
  )
  expect(Schema.decodeSync(Query)({})).toEqual({ at: 7n })
})

it.each(["", "01", "-0", "+1", "1.0", "1e2", "x", "9223372036854775808", "-9223372036854775809"])(
  "refuses %j, in a path and in a query",
  (at) => {
    for (const decode of decoders)
      expect(String(Either.flip(decode({ at })))).toContain("must be a 64-bit integer")
  }
)
