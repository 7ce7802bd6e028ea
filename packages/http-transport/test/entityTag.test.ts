/** Tags of things that were read, and callers that have them already. */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { exchange } from "./support/Connection.ts"
import { deprecation, expectResponse, found, unchanged } from "./support/Expected.ts"
import { create, keys } from "./support/Request.ts"
import { headersOf } from "./support/Response.ts"
import { served } from "./support/Served.ts"

const one = '{"name":"n","count":1}'
const first = '{"id":1,"name":"n","count":1}'

/** Reads as a caller that has what these tags identify. */
const read = (target: string, tags?: string, method = "GET") =>
  exchange({ target, method, headers: tags === undefined ? [] : [`If-None-Match: ${tags}`] })
const tagOf = (target: string) =>
  Effect.map(read(target), (response) => headersOf(response, "ETag")[0] ?? "")

describe("a tag", () => {
  served()("differs for other things, and is the same for the same", function* () {
    const targets = ["/v1/things", "/v1/things/1", "/v1/things/2"]
    const empty = yield* tagOf("/v1/things")
    yield* exchange(create(one))
    const last = yield* tagOf("/v1/things?limit=1")
    yield* exchange(create(one))
    // The same page, but another one follows.
    expect(yield* tagOf("/v1/things?limit=1")).not.toBe(last)
    const tags = yield* Effect.forEach(targets, tagOf)
    expect(new Set([empty, ...tags]).size).toBe(4)
    expect(yield* Effect.forEach(targets, tagOf)).toEqual(tags)
  })

  served()("says whether a list or a thing has changed, to GET and HEAD", function* () {
    yield* exchange(create(one))
    const answers = {
      "/v1/things": found(`[${first}]`),
      "/v1/things/1": found(first, deprecation)
    }
    for (const [target, expected] of Object.entries(answers)) {
      const tag = yield* tagOf(target)
      for (const tags of [tag, tag.slice("W/".length), `"a,b", ${tag}`, `${tag},W/"c"`, " * "])
        for (const method of ["GET", "HEAD"])
          expectResponse(yield* read(target, tags, method), unchanged(expected))
      for (const tags of [
        '"a"',
        'W/"a", "b"',
        tag.replaceAll('"', ""),
        tag.replace(/"$/, 'a"'),
        "",
        '"*"',
        '"'
      ])
        expectResponse(yield* read(target, tags), expected)
    }
  })

  served()("is only for callers that may read, and for what was read", function* () {
    const statuses = yield* Effect.forEach(
      [
        exchange({ target: "/v1/things", key: null, headers: ["If-None-Match: *"] }),
        exchange({ target: "/v1/things", key: keys.write, headers: ["If-None-Match: *"] }),
        read("/v1/things?limit=0", "*"),
        read("/v1/things/99", "*"),
        exchange({ ...create(one), headers: ["If-None-Match: *"] })
      ],
      Effect.map((response) => [response.status, headersOf(response, "ETag")])
    )
    expect(statuses).toEqual([401, 403, 400, 404, 201].map((status) => [status, []]))
  })
})
