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

  it("says what is not expected", () => {
    const strict = Schema.decodeUnknownEither(point, { onExcessProperty: "error" })
    const error = Either.getOrThrow(Either.flip(strict({ at: { x: 1, y: 2 }, z: 3, w: 4 })))
    expect(Issues.describe(error, "the point")).toBe("w is not expected")
  })

  it("says what must be an object", () => {
    expect(describeIssues(7)).toBe("the point must be an object")
  })

  const isEven = (value: number) => value % 2 === 0
  const invalid = <A, I>(message: string, schema: Schema.Schema<A, I>, ...inputs: Array<unknown>) =>
    [message, schema, inputs] as const

  const Side = Schema.Literal("left", "right")
  const named = Side.annotations({ message: () => ({ message: "must be a side", override: true }) })

  it.each<readonly [string, Schema.Schema.AnyNoContext, ReadonlyArray<unknown>]>([
    invalid("must be a string", Schema.String, 1, null, {}),
    invalid("must be a number", Schema.Number, "1", 1n),
    invalid("must be a boolean", Schema.Boolean, "true"),
    invalid("must be null", Schema.Null, 0),
    invalid("must be one of left, right", Schema.Literal("left", "right"), "secret"),
    invalid("must be an array", Schema.Array(Schema.String), "secret"),
    invalid("must be an object", Schema.Record({ key: Schema.String, value: Schema.String }), 1),
    invalid("must be a string or null", Schema.NullOr(Schema.String), 1),
    invalid("must be a string or a number", Schema.Union(Schema.NonEmptyString, Schema.Number), {}),
    invalid("must not be empty", Schema.NonEmptyString, ""),
    invalid("must have at least 3 characters", Schema.String.pipe(Schema.minLength(3)), "se"),
    invalid("must have at most 3 characters", Schema.String.pipe(Schema.maxLength(3)), "secret"),
    invalid("must match the pattern ^a+$", Schema.String.pipe(Schema.pattern(/^a+$/)), "secret"),
    invalid("must be a valid Finite", Schema.Finite, Number.POSITIVE_INFINITY),
    invalid("must be an integer", Schema.Int, 1.5),
    invalid(
      "must be at least 1 and must be at most 5",
      Schema.Number.pipe(Schema.between(1, 5)),
      6
    ),
    invalid("must be greater than 0", Schema.Positive, 0),
    invalid("must be less than 0", Schema.Negative, 0),
    invalid("must be a multiple of 5", Schema.Number.pipe(Schema.multipleOf(5)), 6),
    invalid(
      "must have at least 2 items",
      Schema.Array(Schema.Number).pipe(Schema.minItems(2)),
      [1]
    ),
    invalid(
      "must have at most 1 items",
      Schema.Array(Schema.Number).pipe(Schema.maxItems(1)),
      [1, 2]
    ),
    invalid("must not be empty", Schema.Array(Schema.Number).pipe(Schema.minItems(1)), []),
    invalid("must be a number", Schema.NumberFromString, "secret"),
    invalid("is not valid", Int64.pipe(Schema.positiveBigInt()), 0),
    invalid("is not valid", Int64.pipe(Schema.betweenBigInt(1n, 9n)), 0),
    invalid("must be one of left, right", Schema.UndefinedOr(Side), "secret", 3),
    invalid("must be a side", Schema.UndefinedOr(named), "secret", 3),
    // Nothing is run for a message.
    invalid(
      "must be a string",
      Schema.String.annotations({ message: () => Effect.succeed("x") }),
      1
    ),
    invalid("is not valid", Schema.Number.pipe(Schema.filter(isEven)), 1),
    invalid(
      "must be a valid Even",
      Schema.Number.pipe(Schema.filter(isEven, { identifier: "Even" })),
      1
    ),
    invalid(
      "must be even",
      Schema.Number.pipe(Schema.filter((n) => isEven(n) || "must be even")),
      1
    ),
    invalid("must be a whole", Schema.Int.annotations({ message: () => "must be a whole" }), 1.5),
    // Messages of parts are preferred.
    invalid("must be a number", Schema.Int.annotations({ message: () => "must be a whole" }), "1"),
    // Descriptions are for the document.
    invalid("must be an integer", Schema.Int.annotations({ description: "How many" }), 1.5)
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
