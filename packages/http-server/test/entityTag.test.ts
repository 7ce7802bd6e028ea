/** Tags of animals that were read, and callers that have them already. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { exchange } from "./support/Connection.ts"
import { current, deprecation, expectResponse, found, unchanged } from "./support/Expected.ts"
import * as Harness from "./support/Harness.ts"
import { create, keys } from "./support/Request.ts"
import { headersOf } from "./support/Response.ts"

const pet = '{"name":"Rex","categoryId":1}'
const rex = '{"id":1,"name":"Rex","categoryId":1}'

/** Reads as a caller that has what these tags identify. */
const read = (target: string, tags?: string, method = "GET") =>
  exchange({ target, method, headers: tags === undefined ? [] : [`If-None-Match: ${tags}`] })
const tagOf = (target: string) =>
  Effect.map(read(target), (response) => headersOf(response, "ETag")[0] ?? "")

for (const [name, store] of Object.entries(Harness.stores)) {
  layer(Harness.layer({ store }), { excludeTestServices: true })(`a tag (${name})`, (it) => {
    it.effect("says whether a list or an animal has changed, to GET and HEAD", () =>
      Effect.gen(function* () {
        yield* exchange(create(pet))
        const answers = {
          "/v1/pets": found(`[${rex}]`, [current("limit=20", 1)]),
          "/v1/pets/1": found(rex, deprecation),
          "/v1/pets?status=sold": found("[]")
        }
        for (const [target, expected] of Object.entries(answers)) {
          const tag = yield* tagOf(target)
          for (const tags of [tag, tag.slice("W/".length), `"a,b", ${tag}`, `${tag},W/"c"`, " * "])
            for (const method of ["GET", "HEAD"])
              expectResponse(yield* read(target, tags, method), unchanged(expected))
          for (const tags of ['"a"', 'W/"a", "b"', tag.replaceAll('"', ""), "", '"*"', '"'])
            expectResponse(yield* read(target, tags), expected)
        }
      })
    )

    it.effect("of a page changes when a next page appears, though its animals do not", () =>
      Effect.gen(function* () {
        yield* exchange(create(pet))
        const target = `/v1/pets?limit=${yield* Harness.count}`
        const before = yield* read(target)
        const [tag] = headersOf(before, "ETag")
        yield* exchange(create(pet))
        const after = yield* read(target, tag)
        expect(after).toMatchObject({ status: 200, body: before.body })
        expect(headersOf(after, "Link")).toHaveLength(1)
        const [now] = headersOf(after, "ETag")
        const again = yield* read(target, now)
        expect([again.status, headersOf(again, "Link")]).toEqual([304, headersOf(after, "Link")])
      })
    )
  })
}

layer(Harness.layer(), { excludeTestServices: true })("a tag", (it) => {
  it.effect("differs for other animals, and is the same for the same", () =>
    Effect.gen(function* () {
      const targets = ["/v1/pets", "/v1/pets/1", "/v1/pets/2"]
      const empty = yield* tagOf("/v1/pets")
      yield* exchange(create(pet))
      yield* exchange(create(pet))
      const tags = yield* Effect.forEach(targets, tagOf)
      expect(new Set([empty, ...tags]).size).toBe(4)
      expect(yield* Effect.forEach(targets, tagOf)).toEqual(tags)
    })
  )

  it.effect("is only for callers that may read, and for what was read", () =>
    Effect.gen(function* () {
      const statuses = yield* Effect.forEach(
        [
          exchange({ target: "/v1/pets", key: null, headers: ["If-None-Match: *"] }),
          exchange({ target: "/v1/pets", key: keys.write, headers: ["If-None-Match: *"] }),
          read("/v1/pets?limit=0", "*"),
          read("/v1/pets/99", "*"),
          exchange({ ...create(pet), headers: ["If-None-Match: *"] })
        ],
        Effect.map((response) => [response.status, headersOf(response, "ETag")])
      )
      expect(statuses).toEqual([401, 403, 400, 404, 201].map((status) => [status, []]))
    })
  )
})
