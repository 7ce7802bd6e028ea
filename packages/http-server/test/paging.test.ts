/** Lists, page by page. */
import { expect, layer } from "@effect/vitest"
import * as Cursor from "@petstore/http-contract/Cursor"
import { Effect } from "effect"
import { exchange } from "./support/Connection.ts"
import {
  current,
  expectResponse,
  found,
  invalidParameter,
  link,
  toHead
} from "./support/Expected.ts"
import * as Harness from "./support/Harness.ts"
import { create } from "./support/Request.ts"
import { headerOf, nextOf } from "./support/Response.ts"

const statuses = ["available", "pending", "sold", undefined]

/** The animal that the tests add at this place. */
const fieldsOf = (id: number) => {
  const status = statuses[id % 4]
  return `"name":"n${id}","categoryId":${id}${status === undefined ? "" : `,"status":"${status}"`}`
}
const petOf = (id: number) => `{"id":${id},${fieldsOf(id)}}`
const page = (...ids: ReadonlyArray<number>) => `[${ids.map(petOf).join(",")}]`
const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at)

/** Adds animals until there are so many. */
const fill = (size: number) =>
  Effect.gen(function* () {
    for (let id = (yield* Harness.count) + 1; id <= size; id++) {
      yield* exchange(create(`{${fieldsOf(id)}}`))
    }
  })

/** Adds one animal each time it is run, from one size of the store to another. */
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

layer(Harness.layer(), { excludeTestServices: true })("a list", (it) => {
  const lists = (
    behaviour: string,
    size: number,
    query: string,
    ids: ReadonlyArray<number>,
    ...links: ReadonlyArray<string>
  ) =>
    it.effect(behaviour, () =>
      Effect.gen(function* () {
        yield* fill(size)
        const expected = found(page(...ids), links)
        const target = `/v1/pets${query}`
        expectResponse(yield* exchange({ target }), expected)
        expectResponse(yield* exchange({ target, method: "HEAD" }), toHead(expected))
      })
    )

  lists("is empty at first, and has no link", 0, "", [])
  lists(
    "has no next page when all are in it, and says where later ones appear",
    20,
    "",
    range(1, 20),
    current("limit=20", 20)
  )
  lists(
    "has twenty by default, and the link to the next page says so",
    21,
    "",
    range(1, 20),
    next("limit=20", 20)
  )
  lists("has one if asked for one", 25, "?limit=1", [1], next("limit=1", 1))
  lists("has as many as asked for", 25, "?limit=24", range(1, 24), next("limit=24", 24))
  lists(
    "has no next page when exactly all are in it",
    25,
    "?limit=25",
    range(1, 25),
    current("limit=25", 25)
  )
  lists(
    "takes a limit that is percent-encoded",
    25,
    "?limit=%31%30",
    range(1, 10),
    next("limit=10", 10)
  )
  lists(
    "ignores what it does not know, and links without it",
    25,
    "?a=1&limit=2&b",
    [1, 2],
    next("limit=2", 2)
  )
  lists(
    "keeps the filter in its link",
    25,
    "?status=sold&limit=2",
    [2, 6],
    next("limit=2&status=sold", 6)
  )
  lists(
    "keeps the filter without a limit",
    25,
    "?status=available",
    [4, 8, 12, 16, 20, 24],
    current("limit=20&status=available", 24)
  )
  lists(
    "is of one status",
    25,
    "?status=pending",
    [1, 5, 9, 13, 17, 21, 25],
    current("limit=20&status=pending", 25)
  )
  lists(
    "continues after a cursor",
    25,
    `?limit=3&cursor=${Cursor.encode(7n)}`,
    [8, 9, 10],
    next("limit=3", 10)
  )
  lists(
    "continues with the filter",
    25,
    `?status=sold&cursor=${Cursor.encode(7n)}`,
    [10, 14, 18, 22],
    current("limit=20&status=sold", 22)
  )
  lists(
    "continues with another limit",
    25,
    `?limit=100&cursor=${Cursor.encode(20n)}`,
    range(21, 25),
    current("limit=100", 25)
  )
  lists("is empty after the last", 25, `?cursor=${Cursor.encode(25n)}`, [], current("limit=20", 25))
  lists(
    "is empty after the largest id",
    25,
    `?cursor=${Cursor.encode(9223372036854775807n)}`,
    [],
    current("limit=20", 9223372036854775807n)
  )
  lists(
    "begins before the first",
    25,
    `?limit=1&cursor=${Cursor.encode(-9223372036854775808n)}`,
    [1],
    next("limit=1", 1)
  )
  lists("has a hundred at most", 101, "?limit=100", range(1, 100), next("limit=100", 100))

  it.effect("leaves animals without a status out of every filtered list", () =>
    Effect.gen(function* () {
      yield* fill(101)
      const nothing = Effect.void
      const all = yield* walk("/v1/pets?limit=100", nothing)
      expect(all.flat()).toEqual(range(1, 101))
      const filtered = yield* Effect.forEach(["available", "pending", "sold"], (status) =>
        walk(`/v1/pets?limit=7&status=${status}`, nothing)
      )
      const seen = filtered.flat(2).sort((a, b) => a - b)
      expect(seen).toEqual(range(1, 101).filter((id) => statuses[id % 4] !== undefined))
    })
  )

  it.effect("visits every animal once while others are added", () =>
    Effect.gen(function* () {
      yield* fill(101)
      const pages = yield* walk("/v1/pets?limit=9", growing(101, 115))
      // Twelve were added before the last page was asked for.
      expect(pages.flat()).toEqual(range(1, 113))
      expect(pages.map((ids) => ids.length)).toEqual([...Array(12).fill(9), 5])
    })
  )

  it.effect("has exactly what was added since, where its last page says", () =>
    Effect.gen(function* () {
      yield* fill(115)
      const last = yield* exchange({ target: `/v1/pets?cursor=${Cursor.encode(110n)}` })
      const [, resume = ""] = /^<([^>]*)>; rel="current"$/.exec(headerOf(last, "Link") ?? "") ?? []
      const none = yield* exchange({ target: resume })
      expect([none.body, headerOf(none, "Link")]).toEqual(["[]", headerOf(last, "Link")])
      yield* fill(117)
      expect((yield* exchange({ target: resume })).body).toBe(page(116, 117))
    })
  )

  it.effect("visits every animal of a status once while others are added", () =>
    Effect.gen(function* () {
      yield* fill(117)
      const pages = yield* walk("/v1/pets?limit=3&status=sold", growing(117, 125))
      expect(pages.flat()).toEqual(range(1, 125).filter((id) => id % 4 === 2))
    })
  )

  it.effect("refuses a cursor that was damaged in any place", () =>
    Effect.gen(function* () {
      yield* fill(21)
      const first = yield* exchange({ target: "/v1/pets?limit=20" })
      const cursor = /cursor=([A-Za-z0-9_-]+)$/.exec(nextOf(first) ?? "")?.[1] ?? ""
      expect(cursor).not.toBe("")
      const other = (letter: string) => (letter === "A" ? "B" : "A")
      const flipped = Array.from(
        cursor,
        (letter, at) => cursor.slice(0, at) + other(letter) + cursor.slice(at + 1)
      )
      const swapped = range(1, cursor.length - 1)
        .map(
          (at) => `${cursor.slice(0, at - 1)}${cursor[at]}${cursor[at - 1]}${cursor.slice(at + 1)}`
        )
        .filter((text) => text !== cursor)
      const cut = range(0, cursor.length - 1).map((length) => cursor.slice(0, length))
      const more = ["A", "AAAA", "=", "==", "%3D", "%20", "%0A", "%00", "."].map(
        (end) => cursor + end
      )
      const before = ["A", "AAAA", "%20", "="].map((start) => start + cursor)
      const expected = invalidParameter("cursor must be a cursor taken from a Link header")
      for (const text of [...flipped, ...swapped, ...cut, ...more, ...before, cursor + cursor]) {
        expectResponse(yield* exchange({ target: `/v1/pets?cursor=${text}` }), expected)
      }
      const twice = `/v1/pets?cursor=${cursor}&cursor=${cursor}`
      expectResponse(
        yield* exchange({ target: twice }),
        invalidParameter("cursor must be given once")
      )
      const encoded = Array.from(cursor, (letter) => `%${letter.charCodeAt(0).toString(16)}`)
      const whole = yield* exchange({ target: `/v1/pets?limit=1&cursor=${encoded.join("")}` })
      expect(whole.body).toBe(page(21))
    })
  )
})
