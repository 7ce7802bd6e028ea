import { describe, expect, it } from "@effect/vitest"
import * as Issues from "@petstore/http-api/Issues"
import { Either, Schema } from "effect"

const number = Schema.Number.annotations({ message: () => "must be a number" })
const point = Schema.Struct({ at: Schema.Struct({ x: number, y: number }), z: number })
const decode = Schema.decodeUnknownEither(point, { errors: "all" })
const describeIssues = (input: unknown, isRepeated?: (field: string) => boolean) =>
  Issues.describe(Either.getOrThrow(Either.flip(decode(input))), "the point", isRepeated)

describe("the description of an invalid input", () => {
  it("names every field that is missing or wrong, by its path", () => {
    expect(describeIssues({ at: { x: "1" }, z: true })).toBe(
      "at.x must be a number; at.y is required; z must be a number"
    )
  })

  it("says of a field that was given several times that it must be given once", () => {
    expect(describeIssues({ at: { x: 1, y: 2 }, z: [3, 4] }, (field) => field === "z")).toBe(
      "z must be given once"
    )
  })

  it("says what must be an object", () => {
    expect(describeIssues(7)).toBe("the point must be an object")
  })
})
