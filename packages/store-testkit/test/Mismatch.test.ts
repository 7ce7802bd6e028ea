import { describe, expect, it } from "@effect/vitest"
import { expectSame } from "@petstore/store-testkit/Mismatch"
import { Effect, Either, FastCheck as fc } from "effect"

const messageOf = (actual: unknown, expected: unknown) =>
  Either.match(Effect.runSync(Effect.either(expectSame("it", actual, expected))), {
    onLeft: (mismatch) => mismatch.message,
    onRight: () => "the same"
  })

describe("expectSame", () => {
  it.prop("treats a copy as the same", [fc.anything({ withBigInt: true })], ([value]) => {
    expect(messageOf(structuredClone(value), value)).toBe("the same")
  })

  it.each([
    ["a key with nothing in it", { a: undefined }, {}, '.a: expected "nothing", got "undefined"'],
    [
      "a missing key with nothing in it",
      {},
      { a: undefined },
      '.a: expected "undefined", got "nothing"'
    ],
    ["the sign of zero", { a: -0 }, { a: 0 }, ".a: expected 0, got 0"],
    ["a missing key", {}, { a: 1 }, '.a: expected 1, got "nothing"'],
    ["a number for a bigint", { a: 1 }, { a: 1n }, '.a: expected "1n", got 1'],
    [
      "a digit",
      { a: 2n ** 53n },
      { a: 2n ** 53n + 1n },
      '.a: expected "9007199254740993n", got "9007199254740992n"'
    ],
    ["letters that look alike", "\u00e9", "e\u0301", ': expected "e\\u0301", got "\\u00e9"'],
    ["the order of an array", [1, 2], [2, 1], "[0]: expected 2, got 1"],
    ["a longer array", [1, 2], [1], '[1]: expected "nothing", got 2'],
    ["an object for an array", { 0: 1 }, [1], ': expected [1], got {"0":1}'],
    ["null for an object", null, {}, ": expected {}, got null"],
    ["undefined", undefined, null, ': expected null, got "undefined"']
  ])("reports %s", (_, actual, expected, message) => {
    expect(messageOf(actual, expected)).toBe(`it${message}`)
  })

  it("is brief about long values", () => {
    const message = messageOf("x".repeat(50_000), "")
    expect(message).toContain("(50002 characters)")
    expect(message.length).toBeLessThan(400)
  })
})
