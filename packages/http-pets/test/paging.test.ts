/** Lists, page by page. */
import { expect, layer } from "@effect/vitest"
import * as ListPets from "@petstore/domain/ListPets"
import * as Cursor from "@petstore/http-transport/Cursor"
import * as Int64 from "@petstore/kernel/Int64"
import { Arbitrary, Effect, FastCheck, Schema } from "effect"
import { headerOf, nextOf } from "../../http-transport/test/support/Response.ts"
import { exchange } from "./support/Conformance.ts"
import { current, expectResponse, found, link, toHead } from "./support/Expected.ts"
import * as Harness from "./support/Harness.ts"
import { create } from "./support/Request.ts"

const statuses = ["available", "pending", "sold", undefined]

/** The pet that the tests add at this place. */
const fieldsOf = (id: number) => {
  const status = statuses[id % 4]
  return `"name":"n${id}","categoryId":${id}${status === undefined ? "" : `,"status":"${status}"`}`
}
const petOf = (id: number) => `{"id":${id},${fieldsOf(id)}}`
const page = (...ids: ReadonlyArray<number>) => `[${ids.map(petOf).join(",")}]`
const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at)

/** Adds pets until there are this many. */
const fill = (size: number) =>
  Effect.gen(function* () {
    for (let id = (yield* Harness.count) + 1; id <= size; id++) {
      yield* exchange(create(`{${fieldsOf(id)}}`))
    }
  })

/** Adds one pet each time it is run, from one size of the store to another. */
const growing = (from: number, to: number) => {
  let size = from
  return Effect.suspend(() => (size < to ? fill(++size) : Effect.void))
}

/** The ids of every page from here on, following the links; in between, something may happen. */
const walk = <E, R>(target: string, between: Effect.Effect<void, E, R>) =>
  Effect.gen(function* () {
    const pages: Array<ReadonlyArray<number>> = []
    for (let next: string | undefined = target; next !== undefined; ) {
      const response: Effect.Effect.Success<ReturnType<typeof exchange>> = yield* exchange({
        target: next
      })
      pages.push(Array.from(response.body.matchAll(/"id":(\d+)/g), ([, id]) => Number(id)))
      next = nextOf(response)
      yield* between
    }
    return pages
  })

const next = link("next")

const after = (id: bigint) => `cursor=${Cursor.encode(id)}`
type List = readonly [
  behaviour: string,
  size: number,
  query: string,
  ids: ReadonlyArray<number>,
  ...link: ReadonlyArray<string>
]

const lists: ReadonlyArray<List> = [
  ["is empty at first, and has no link", 0, "", []],
  ["says where later ones appear if all are in it", 20, "", range(1, 20), current("limit=20", 20)],
  ["has twenty by default, and says so in its link", 21, "", range(1, 20), next("limit=20", 20)],
  ["has one if asked for one", 25, "limit=1", [1], next("limit=1", 1)],
  ["has as many as asked for", 25, "limit=24", range(1, 24), next("limit=24", 24)],
  ["has no next page if just all are in it", 25, "limit=25", range(1, 25), current("limit=25", 25)],
  ["keeps the filter", 25, "status=sold&limit=2", [2, 6], next("limit=2&status=sold", 6)],
  [
    "keeps the filter without a limit",
    25,
    "status=available",
    [4, 8, 12, 16, 20, 24],
    current("limit=20&status=available", 24)
  ],
  ["continues after a cursor", 25, `limit=3&${after(7n)}`, [8, 9, 10], next("limit=3", 10)],
  [
    "continues with the filter",
    25,
    `status=sold&${after(7n)}`,
    [10, 14, 18, 22],
    current("limit=20&status=sold", 22)
  ],
  ["is empty after the last", 25, after(25n), [], current("limit=20", 25)],
  ["is empty after the largest id", 25, after(Int64.max), [], current("limit=20", Int64.max)],
  ["begins before the first", 25, `limit=1&${after(Int64.min)}`, [1], next("limit=1", 1)],
  ["has a hundred at most", 101, "limit=100", range(1, 100), next("limit=100", 100)]
]

layer(Harness.layer(), { excludeTestServices: true })("a list", (it) => {
  for (const [behaviour, size, query, ids, ...links] of lists) {
    it.effect(behaviour, () =>
      Effect.gen(function* () {
        yield* fill(size)
        const expected = found(page(...ids), links)
        const target = `/v1/pets?${query}`
        expectResponse(yield* exchange({ target }), expected)
        expectResponse(yield* exchange({ target, method: "HEAD" }), toHead(expected))
      })
    )
  }

  it.effect("leaves pets without a status out of every filtered list", () =>
    Effect.gen(function* () {
      yield* fill(101)
      const filtered = yield* Effect.forEach(["available", "pending", "sold"], (status) =>
        walk(`/v1/pets?limit=7&status=${status}`, Effect.void)
      )
      const seen = filtered.flat(2).sort((a, b) => a - b)
      expect(seen).toEqual(range(1, 101).filter((id) => statuses[id % 4] !== undefined))
    })
  )

  it.effect("visits every pet once while others are added, of all and of one status", () =>
    Effect.gen(function* () {
      yield* fill(101)
      const pages = yield* walk("/v1/pets?limit=9", growing(101, 115))
      // Twelve were added before the last page was asked for.
      expect(pages.flat()).toEqual(range(1, 113))
      expect(pages.map((ids) => ids.length)).toEqual([...Array(12).fill(9), 5])
      yield* fill(117)
      const sold = yield* walk("/v1/pets?limit=3&status=sold", growing(117, 125))
      expect(sold.flat()).toEqual(range(1, 125).filter((id) => id % 4 === 2))
    })
  )

  it.effect("has exactly what was added since, where its last page says", () =>
    Effect.gen(function* () {
      yield* fill(125)
      const last = yield* exchange({ target: `/v1/pets?${after(120n)}` })
      const [, resume = ""] = /^<([^>]*)>; rel="current"$/.exec(headerOf(last, "Link") ?? "") ?? []
      const none = yield* exchange({ target: resume })
      expect([none.body, headerOf(none, "Link")]).toEqual(["[]", headerOf(last, "Link")])
      yield* fill(127)
      expect((yield* exchange({ target: resume })).body).toBe(page(126, 127))
    })
  )
})

layer(Harness.layer(), { excludeTestServices: true })("a page of the longest names", (it) => {
  it.effect("has as many pets as any other", () =>
    Effect.gen(function* () {
      const name = "\\u0001".repeat(1000)
      for (let at = 0; at < 101; at++) yield* exchange(create(`{"name":"${name}","categoryId":1}`))
      const pages = yield* walk("/v1/pets?limit=100", Effect.void)
      expect(pages).toEqual([range(1, 100), [101]])
    })
  )
})

layer(Harness.layer(), { excludeTestServices: true })("a link", (it) => {
  it.effect("has every parameter of its list", () =>
    Effect.gen(function* () {
      const any = Schema.typeSchema(
        Schema.partialWith(Schema.Struct(ListPets.parameters), { exact: true })
      )
      for (const parameters of FastCheck.sample(Arbitrary.make(any), { numRuns: 20, seed: 1 })) {
        const target = `/v1/pets?limit=7${ListPets.textOf(parameters)}&${after(1n)}`
        const response = yield* exchange({ target })
        expect(headerOf(response, "Link")).toBe(`<${target}>; rel="current"`)
      }
    })
  )
})
