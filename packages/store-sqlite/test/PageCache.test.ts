import { describe, expect, it } from "@effect/vitest"
import type { ListPets } from "@petstore/domain/ListPets"
import { Pet } from "@petstore/domain/Pet"
import { PageLimit, type PetPage } from "@petstore/domain/PetPage"
import { Option, Schema } from "effect"
import * as PageCache from "../src/internal/PageCache.ts"

const query = (limit: number): ListPets => ({ limit: PageLimit.make(limit) })
const page = (name: string): PetPage => ({
  pets: [Schema.decodeSync(Pet)({ id: 1, name, categoryId: 1 })],
  next: Option.none()
})

describe("the page cache", () => {
  it("reads a page once, and again as soon as the file has changed", () => {
    let version = 1
    let reads = 0
    const cache = PageCache.make(100_000, () => version)
    const get = () => cache(query(20), () => page(`read ${++reads}`))
    expect(get()).toBe(get())
    expect(reads).toBe(1)
    version = 2
    expect(get().pets[0]?.name).toBe("read 2")
    version = 1
    expect(get().pets[0]?.name).toBe("read 3")
  })

  it("keeps no more than its bytes, and forgets the oldest first, also after a change", () => {
    let reads: Array<number> = []
    let version = 1
    const cache = PageCache.make(3 * 1500, () => version)
    const get = (limit: number) =>
      cache(query(limit), () => {
        reads.push(limit)
        return page("x".repeat(100))
      })
    for (; version <= 2; version++) {
      reads = []
      for (const limit of [1, 2, 3, 1, 4, 3, 2, 1]) get(limit)
      expect(reads).toEqual([1, 2, 3, 4, 1])
    }
  })

  it.each([
    [1499, 2],
    [1500, 1]
  ])("of %i bytes reads a page of 1500 bytes %i times", (bytes, times) => {
    let reads = 0
    const cache = PageCache.make(bytes, () => 1)
    const get = () =>
      cache(query(1), () => {
        reads++
        return page("x".repeat(100))
      })
    get()
    get()
    expect(reads).toBe(times)
  })
})
