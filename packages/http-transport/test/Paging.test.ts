import { describe, expect, it } from "@effect/vitest"
import * as Cursor from "@petstore/http-transport/Cursor"
import * as IdempotencyKey from "@petstore/http-transport/IdempotencyKey"
import * as Paging from "@petstore/http-transport/Paging"
import { Int64 } from "@petstore/kernel/Int64"
import { Either, JSONSchema, Schema } from "effect"

const limits = { initial: 10, max: 25, items: "things" }
const Query = Schema.Struct({
  limit: Paging.limit(Schema.Number, limits),
  tag: Schema.optionalWith(Schema.Array(Schema.String), { exact: true }),
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
    const query = { tag: ["a b", "c&d"], owner: "é", cursor: 3n, limit: 5 }
    expect(at(query, 20n)).toEqual([
      "Link",
      '</v1/things?limit=5&tag=a%20b&tag=c%26d&owner=%C3%A9&cursor=1423838aa7>; rel="next"'
    ])
  })

  it("leads to what is added later, after the last page", () => {
    const current = (id: bigint) =>
      `</v1/things?limit=5&cursor=${Cursor.encode(id)}>; rel="current"`
    expect(at({ limit: 5 }, 20n, false)).toEqual(["Link", current(20n)])
    expect(at({ limit: 5, cursor: 3n }, undefined, false)).toEqual(["Link", current(3n)])
    expect(at({ limit: 5 }, undefined, false)).toEqual([])
  })

  it("has the cursor of any id", () => {
    const query = { limit: 5, owner: undefined }
    const [, link] = Paging.link("/v1/things", query, { hasNext: true, last: "an-id" })
    const [, cursor = ""] = /limit=5&cursor=([^>]+)>/.exec(link ?? "") ?? []
    expect(Schema.decodeSync(Cursor.of(Schema.String))(cursor)).toBe("an-id")
  })
})

describe("the examples of a list and of its creates", () => {
  const patterned = Schema.String.pipe(Schema.pattern(/^note_[a-z]+$/))
  const examplesOf = <A extends Cursor.Id, I extends Cursor.Id | number>(
    id: Schema.Schema<A, I>
  ) => ({
    cursor: JSONSchema.make(Cursor.of(id)).examples?.[0],
    link: Paging.linkHeader("/v1/notes", limits, id).example,
    location: IdempotencyKey.createdHeaders("/v1/notes", "note", id).Location.example
  })
  const check = <A extends Cursor.Id, I extends Cursor.Id | number>(
    id: Schema.Schema<A, I>,
    nextId: A,
    location: string
  ) => {
    const cursor = Schema.encodeSync(Cursor.of(id))(nextId)
    expect(examplesOf(id)).toEqual({
      cursor,
      link: `</v1/notes?limit=10&cursor=${cursor}>; rel="next"`,
      location
    })
    expect(Schema.decodeSync(Cursor.of(id))(cursor)).toBe(nextId)
  }

  it("are ids that the schema accepts", () => {
    check(Int64, 20n, "/v1/notes/1")
    check(Schema.NonEmptyString, "20", "/v1/notes/1")
    const uuid = "019b1e5c-7a40-7c3e-9d52-4f6a8b1c2d3e"
    check(Schema.UUID, uuid, `/v1/notes/${uuid}`)
  })

  it("are those that the schema is annotated with, or none", () => {
    check(patterned.annotations({ examples: ["note_a"] }), "note_a", "/v1/notes/note_a")
    check(Int64.annotations({ examples: [7n] }), 7n, "/v1/notes/7")
    expect(examplesOf(patterned)).toEqual({})
  })
})
