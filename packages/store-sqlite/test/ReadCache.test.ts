import { describe, expect, it } from "@effect/vitest"
import * as ReadCache from "../dist/internal/ReadCache.js"

/** A cache of values of 100 bytes each, and the keys that were read. */
const setUp = (maxBytes: number, version: () => unknown = () => 1) => {
  const reads: Array<number> = []
  const get = ReadCache.make({
    read: (key: number) => {
      reads.push(key)
      return key < 0 ? undefined : { key }
    },
    keyOf: (key) => key,
    sizeOf: () => 100,
    maxBytes,
    version
  })
  return { get, reads }
}

describe("the read cache", () => {
  it("reads a value once, and again as soon as the file has changed", () => {
    let version = 1
    const { get, reads } = setUp(1000, () => version)
    expect(get(5)).toBe(get(5))
    expect(reads).toEqual([5])
    version = 2
    get(5)
    version = 1
    expect(get(5)).toEqual({ key: 5 })
    expect(reads).toEqual([5, 5, 5])
  })

  it("keeps no more than its bytes, and forgets the oldest first", () => {
    const { get, reads } = setUp(300)
    for (const key of [1, 2, 3, 1, 4, 3, 2, 1]) get(key)
    expect(reads).toEqual([1, 2, 3, 4, 1])
  })

  it("does not keep a value that is larger than all its bytes", () => {
    const { get, reads } = setUp(99)
    get(1)
    get(1)
    expect(reads).toEqual([1, 1])
  })

  it("does not keep that there is no value", () => {
    const { get, reads } = setUp(1000)
    expect([get(-1), get(-1)]).toEqual([undefined, undefined])
    expect(reads).toEqual([-1, -1])
  })
})
