import { describe, expect, it } from "@effect/vitest"
import * as Issues from "@petstore/http-transport/Issues"
import { Int64 } from "@petstore/kernel/Int64"
import { Effect, Either, Schema } from "effect"

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
    expect(describeIssues({ at: { x: "1", y: 2 }, z: 3 }, (field) => field === "at")).toBe(
      "at.x must be a number"
    )
  })

  it("says what must be an object", () => {
    expect(describeIssues(7)).toBe("the point must be an object")
  })

  const isEven = (value: number) => value % 2 === 0
  const invalid = <A, I>(message: string, schema: Schema.Schema<A, I>, ...inputs: Array<unknown>) =>
    [message, schema, inputs] as const

  const withMessage = Schema.Int.annotations({ message: () => "must be a whole" })

  it.each<readonly [string, Schema.Schema.AnyNoContext, ReadonlyArray<unknown>]>([
    invalid("must be a string", Schema.String, 1, null, {}),
    invalid("must be a number", Schema.Number, "1", 1n),
    invalid("must be a boolean", Schema.Boolean, "true"),
    invalid("must be an object", Schema.Struct({ name: Schema.String }), 1),
    invalid("must be an integer", Int64, "1", 1.5, null),
    invalid("is not valid", Schema.Array(Schema.String), "secret"),
    invalid("is not valid", Schema.Number.pipe(Schema.filter(isEven)), 1),
    invalid(
      "must be even",
      Schema.Number.pipe(Schema.filter((n) => isEven(n) || "must be even")),
      1
    ),
    // Nothing is run for a message.
    invalid(
      "must be a string",
      Schema.String.annotations({ message: () => Effect.succeed("x") }),
      1
    ),
    invalid("must be a whole", withMessage, 1.5),
    // Messages of parts are preferred.
    invalid("must be a number", withMessage, "1")
  ])("says that a value %s, and does not quote it: %s", (message, schema, inputs) => {
    for (const input of inputs) {
      const decodeField = Schema.decodeUnknownEither(Schema.Struct({ field: schema }))
      const error = Either.getOrThrow(Either.flip(decodeField({ field: input })))
      expect(Issues.describe(error, "the body")).toBe(`field ${message}`)
    }
  })

  it("names no problem twice", () => {
    const messages = ["must not be so", "must not be so"]
    const twice = Schema.Struct({ other: Schema.String }).pipe(
      Schema.filter(() => messages.map((message) => ({ path: ["other"], message })))
    )
    const error = Either.flip(Schema.decodeUnknownEither(twice)({ other: "a" }))
    expect(Issues.describe(Either.getOrThrow(error), "the site")).toBe("other must not be so")
  })
})
