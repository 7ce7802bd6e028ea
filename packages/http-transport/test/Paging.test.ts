import { describe, expect, it } from "@effect/vitest"
import * as Cursor from "@petstore/http-transport/Cursor"
import * as Paging from "@petstore/http-transport/Paging"
import { Int64 } from "@petstore/kernel/Int64"
import { Either, JSONSchema, Schema } from "effect"

const limits = { initial: 10, max: 25, items: "things" }
const Query = Schema.Struct({
  limit: Paging.limit(Schema.Number, limits),
  owner: Schema.optionalWith(Schema.String, { exact: true }),
  cursor: Paging.cursor(Int64)
})
const decode = Schema.decodeUnknownEither(Query)

describe("limit", () => {
  it.each(["1", "9", "10", "25"])("may be %s", (limit) => {
    expect(decode({ limit })).toEqual(Either.right({ limit: Number(limit) }))
  })

  it.each(["0", "26", "100", "05", "1e1", "+5", " 5", "1.0", "", "x", "99999999999999999999"])(
    "may not be %j",
    (limit) => {
      expect(String(decode({ limit }))).toContain("must be a whole number from 1 to 25")
    }
  )

  it("has a default, and is documented", () => {
    expect(decode({})).toEqual(Either.right({ limit: 10 }))
    expect(JSONSchema.make(Query)).toMatchObject({
      properties: {
        limit: { type: "integer", minimum: 1, maximum: 25, default: 10 },
        cursor: { type: "string" }
      }
    })
  })
})

describe("link", () => {
  const at = (query: typeof Query.Type, last: bigint | undefined, hasNext = true) =>
    Paging.link("/v1/things", query, { hasNext, last })

  it("leads to the next page with the same parameters, whatever they are", () => {
    const query = { owner: "é & a", cursor: 3n, limit: 5 }
    expect(at(query, 20n)).toEqual([
      ["Link", '</v1/things?limit=5&owner=%C3%A9%20%26%20a&cursor=1423838aa7>; rel="next"']
    ])
  })

  it("leads to what is added later, after the last page", () => {
    const current = (id: bigint) =>
      `</v1/things?limit=5&cursor=${Cursor.encode(id)}>; rel="current"`
    expect(at({ limit: 5 }, 20n, false)).toEqual([["Link", current(20n)]])
    expect(at({ limit: 5, cursor: 3n }, undefined, false)).toEqual([["Link", current(3n)]])
    expect(at({ limit: 5 }, undefined, false)).toEqual([])
  })
})
