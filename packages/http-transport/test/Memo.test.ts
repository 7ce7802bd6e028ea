import { describe, expect, it } from "@effect/vitest"
import * as Memo from "../src/internal/api/Memo.ts"

/** A function that is given to a memo, and how often it was called. */
const counting = () => {
  let calls = 0
  return { derive: () => ++calls, calls: () => calls }
}

describe("a memo by array", () => {
  it("derives once from a frozen array", () => {
    const { calls, derive } = counting()
    const get = Memo.byArray(derive)
    const array = Object.freeze([1])
    expect([get(array), get(array), get(Object.freeze([1]))]).toEqual([1, 1, 2])
    expect(calls()).toBe(2)
    // Another endpoint may write the same array otherwise.
    expect(Memo.byArray(() => "other")(array)).toBe("other")
  })

  it("derives again from what may change, and from what a store may keep for ever", () => {
    const { calls, derive } = counting()
    const get = Memo.byArray(derive)
    for (const value of [[1], Object.freeze({ id: 1 }), "text", undefined]) {
      get(value)
      get(value)
    }
    expect(calls()).toBe(8)
  })
})

describe("a memo by text", () => {
  it("derives once from a short text, and each time from a long one", () => {
    const { calls, derive } = counting()
    const get = Memo.byText(derive)
    for (const text of ["", "a", "", "a"]) get(text)
    expect(calls()).toBe(2)
    for (let round = 0; round < 2; round++) get("x".repeat(257))
    expect(calls()).toBe(4)
    // The beginning of a long one is another text.
    for (let round = 0; round < 2; round++) get("x".repeat(256))
    expect(calls()).toBe(5)
  })

  it("keeps no more than a few hundred texts", () => {
    const { calls, derive } = counting()
    const get = Memo.byText(derive)
    for (let text = 0; text <= 512; text++) get(String(text))
    get("0")
    expect(calls()).toBe(514)
  })
})
