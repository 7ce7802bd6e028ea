import { describe, expect, it } from "@effect/vitest"
import * as Direct from "@petstore/kernel/Direct"
import * as Port from "@petstore/kernel/Port"
import { Effect, Exit } from "effect"
import { effect } from "./support/Steps.ts"

/** A port; `remove` is a method that was added to it. */
interface Shelf {
  readonly put: (name: string, count: number) => Effect.Effect<string>
  readonly see: (name: string) => Effect.Effect<string, "nothing">
  readonly remove: (name: string) => Effect.Effect<string, "nothing">
}
const writes = { put: true, see: false, remove: true } as const satisfies Port.Writes<Shelf>

const makeShelf = () => {
  const done: Array<string> = []
  const act = (what: string) => Effect.sync(() => `${done.push(what)}`)
  const shelf: Shelf = {
    put: (name, count) => act(`put ${count} ${name}`),
    see: (name) => (name === "none" ? Effect.fail("nothing") : act(`see ${name}`)),
    remove: (name) => act(`remove ${name}`)
  }
  return { done, shelf }
}

describe("a decorated port", () => {
  effect("has every method, also an added one, with its inputs, result and failure", function* () {
    const { done, shelf } = makeShelf()
    const seen: Array<string> = []
    const decorated = Port.decorate(shelf, (effect, method) => {
      seen.push(method)
      return effect
    })
    expect(yield* decorated.put("a", 2)).toBe("1")
    expect(yield* decorated.remove("a")).toBe("2")
    expect(yield* Effect.flip(decorated.see("none"))).toBe("nothing")
    expect(done).toEqual(["put 2 a", "remove a"])
    expect(seen).toEqual(["put", "remove", "see"])
  })
})

describe("a read-only port", () => {
  effect("reads, and refuses every write, also by a method that was added", function* () {
    const { done, shelf } = makeShelf()
    const { put, remove, see } = Port.readOnly(shelf, writes)
    expect(yield* see("a")).toBe("1")
    for (const write of [put("a", 1), remove("a")]) {
      expect(yield* Effect.flip(write)).toMatchObject({
        _tag: "StoreUnavailable",
        reason: "read-only"
      })
    }
    expect(done).toEqual(["see a"])
  })

  it("gives reads that need no fiber as they are", () => {
    const read = Direct.sync(() => Exit.succeed("1"))
    const { see } = Port.readOnly({ ...makeShelf().shelf, see: (_: string) => read }, writes)
    expect(see("a")).toBe(read)
  })
})

describe("a port that is made", () => {
  effect("runs each call on the port that it chooses then", function* () {
    const shelves = [makeShelf(), makeShelf()] as const
    let nth: 0 | 1 = 0
    const made = Port.make<Shelf>(writes, (call) => Effect.suspend(() => call(shelves[nth].shelf)))
    const put = made.put("a", 1)
    yield* put
    nth = 1
    yield* put
    expect(shelves.map(({ done }) => done)).toEqual([["put 1 a"], ["put 1 a"]])
  })
})
