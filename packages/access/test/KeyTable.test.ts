import { describe, expect, it } from "@effect/vitest"
import * as KeyTable from "../src/internal/KeyTable.ts"
import { keyOf } from "./support/Keys.ts"

const minute = 60_000
/** A full minute. */
const start = 1_699_999_980_000
const key = keyOf("a")

const tableOf = (lastUsed?: number) => {
  const table = KeyTable.make()
  const keys = [keyOf("a", lastUsed ? { lastUsed } : {})]
  table.learn({ version: "1", keys, isAll: true })
  const entry = table.find(key.digest)
  if (entry === undefined) throw new Error("the table does not have its key")
  return { entry, unnoted: (now: number) => table.unnoted(now).map(([, use]) => use) }
}

describe("the uses of a key that are not noted", () => {
  it("are to the minute, and none when the minute is noted or the key is unused", () => {
    const { entry, unnoted } = tableOf()
    expect(unnoted(start)).toEqual([])
    entry.used = start + 59_999
    expect(unnoted(start + 59_999)).toEqual([{ id: key.id, at: start }])
    entry.noted = start
    expect(unnoted(start + 59_999)).toEqual([])
    entry.used = start + minute
    expect(unnoted(start + minute)).toEqual([{ id: key.id, at: start + minute }])
  })

  it("include one after a noted use that lies in the future", () => {
    const { entry, unnoted } = tableOf(start + minute)
    expect(unnoted(start)).toEqual([])
    entry.used = start
    expect(unnoted(start)).toEqual([{ id: key.id, at: start }])
    expect(unnoted(start + minute)).toEqual([])
  })

  it("are as of now after the clock was set back, and do not advance with it", () => {
    const { entry, unnoted } = tableOf()
    entry.used = start + 60 * minute
    expect(unnoted(start)).toEqual([{ id: key.id, at: start }])
    entry.noted = start
    expect(unnoted(start + 5 * minute)).toEqual([])
  })
})

describe("the number of keys that expire between two times", () => {
  const table = KeyTable.make()
  const ends = [
    {},
    { expires: start },
    { expires: start + 1 },
    { expires: start + minute },
    { expires: start + minute + 1 },
    { expires: start + minute, revoked: start },
    { expires: start + minute, retires: start + 1 }
  ]
  const keys = ends.map((end, at) => keyOf(String(at), end))
  table.learn({ version: "1", keys, isAll: true })

  it("leaves out those that were revoked or rotated, and those without an end", () => {
    expect(table.countExpiring(start, start + minute)).toBe(2)
    expect(table.countExpiring(start + minute, start + 2 * minute)).toBe(1)
    expect(table.countExpiring(0, start - 1)).toBe(0)
  })
})
