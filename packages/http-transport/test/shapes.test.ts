/** Every shape that a contract may have: what is sent is decoded, what handlers give is encoded. */
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import * as ApiServer from "@petstore/http-transport/ApiServer"
import { Authentication } from "@petstore/http-transport/Authentication"
import type { Handlers } from "@petstore/http-transport/Handlers"
import { HttpListener } from "@petstore/http-transport/HttpListener"
import { Cause, Duration, Effect, Layer } from "effect"
import { type Case, suite } from "./support/Cases.ts"
import { exchange } from "./support/Connection.ts"
import {
  answer,
  expectResponse,
  forbidden,
  found,
  invalidBody,
  invalidParameter,
  options,
  refusal,
  wrongKey
} from "./support/Expected.ts"
import * as Harness from "./support/Harness.ts"
import { create, keys, post, type Request } from "./support/Request.ts"
import { served } from "./support/Served.ts"
import * as Things from "./support/Things.ts"
import type * as ThingsApi from "./support/ThingsApi.ts"

const day = "2026-11-14T00:00:00.000Z"
const find = (path: string, expected: Case[2]): Case => [
  `finds ${path}`,
  { target: `/v1/shapes/${path}` },
  expected
]

suite("paths and queries", [
  find(
    "a/1.5/2026-11-14",
    found(
      `{"text":"a","number":1.5,"int64":0,"flag":false,"side":"left","tags":["${day}","all"],` +
        '"inner":{"deep":[{"ratio":0.375}]}}'
    )
  ),
  find(
    "b/-2/2026-11-14?int64=9223372036854775807&flag=true&side=right&tag=x&tag=y",
    found(
      '{"text":"b","number":-2,"int64":9223372036854775807,"flag":true,"side":"right",' +
        `"tags":["${day}","all","x","y"],"inner":{"deep":[{"ratio":-0.5}]}}`
    )
  ),
  find(
    "b/0/2026-11-14??side=right&tag=x",
    found(
      '{"text":"b","number":0,"int64":0,"flag":false,"side":"left",' +
        `"tags":["${day}","all","x"],"inner":{"deep":[{"ratio":0}]}}`
    )
  ),
  find("a/x/2026-11-14", refusal("not_found", "number must be a number")),
  find(
    "a/1/never",
    refusal("not_found", "day must be a date and time such as 2026-01-02T03:04:05Z")
  ),
  find("A/1/2026-11-14", refusal("not_found", "text must be lower case")),
  ...["01", "9223372036854775808", "x"].map((text) =>
    find(`a/1/2026-11-14?int64=${text}`, invalidParameter("int64 must be a 64-bit integer"))
  ),
  find("a/1/2026-11-14?int64=1&int64=2", invalidParameter("int64 must be given once")),
  find("a/1/2026-11-14?tag=x&tag=y&tag=z", invalidParameter("tag must have at most 2 items"))
])

const put = (body: string): Request => ({ ...post("/v1/shapes", body), method: "PUT" })
const sent = (text: string, size: string, more = "") =>
  put(`{"text":${text},"number":0.5,"at":"2026-11-14","size":${size},"tags":["é"]${more}}`)
const seen = (text: string, int64: string, flag: boolean, more = "") =>
  `{"text":"${text}","number":0.5,"int64":${int64},"flag":${flag},"side":"right",` +
  `"tags":["${day}","é"],"inner":{"deep":[]}${more}}`

suite("bodies", [
  [
    "have any fields, and unknown ones are ignored",
    sent('"a"', '{"width":123}', ',"note":"n","unknown":[1.5]'),
    answer(200, seen("a", "123", false, ',"note":"n"'))
  ],
  ["may leave fields out", sent('"a"', '"small"'), answer(200, seen("a", "0", true))],
  [
    "are refused with all that is wrong",
    put('{"text":null,"at":"never","size":"small","number":0.5}'),
    invalidBody("at must be a date and time such as 2026-01-02T03:04:05Z; tags is required")
  ]
])

const thing = create('{"name":"n","count":3}')
const remove = (...headers: ReadonlyArray<string>) =>
  exchange({ method: "DELETE", target: "/v1/things/1", headers })

describe("an operation", () => {
  served()("may have several successes, with a body and without", function* () {
    const { body, status } = yield* exchange(sent("null", '{"width":7}'))
    expect({ body, status }).toEqual({ status: 201, body: seen("none", "7", false) })
    const { url } = yield* HttpListener
    const init = { method: "PUT", body: String(sent("null", '"small"').body) }
    const headers = { Authorization: `Bearer ${keys.all}`, "Content-Type": "application/json" }
    const accepted = yield* Effect.promise(() => fetch(`${url}/v1/shapes`, { ...init, headers }))
    expect([accepted.status, yield* Effect.promise(() => accepted.text())]).toEqual([202, ""])
  })

  served()("may have no body, headers and errors of its own", function* () {
    yield* exchange(thing)
    const changed = yield* remove("If-Match: 4")
    expect([changed.status, changed.body]).toEqual([
      412,
      '{"code":"thing_changed","message":"thing 1 has a count of 3","status":412}'
    ])
    expect((yield* remove("If-Match: x")).body).toContain("if-match must be a number")
    expectResponse(yield* remove("If-Match: 3"), {
      ...options(""),
      headers: options("").headers.slice(0, -1)
    })
    expect((yield* remove()).body).toContain('"thing_not_found"')
  })
})

describe("an API", () => {
  it("needs the handlers of all its groups", () => {
    type All = Handlers<typeof ThingsApi.Things | typeof ThingsApi.Shapes>
    expectTypeOf<Handlers<typeof ThingsApi.Things>>().not.toExtend<All>()
    const { handlers: all, ...api } = Harness.api()
    const some = Effect.map(all, ({ findShape, putShape, ...ofThings }) => ofThings)
    const typed = Effect.map(some, (given): Handlers<typeof ThingsApi.Things> => given)
    ApiServer.layer({ ...api, handlers: all })
    // @ts-expect-error: those of shapes are missing
    ApiServer.layer({ ...api, handlers: some })
    // @ts-expect-error: those of shapes are missing
    ApiServer.layer({ ...api, handlers: typed })
  })

  const authentication = Layer.succeed(Authentication, {
    authenticate: (token) =>
      Effect.zipRight(
        Effect.sleep(1),
        token === "good"
          ? Effect.succeed({ digest: "a", scopes: ["things:read"] })
          : Effect.fail({ reason: "unsigned" })
      ),
    isReady: () => true
  })

  served({ authentication })("may check tokens elsewhere, which takes a while", function* () {
    const target = "/v1/things"
    expectResponse(yield* exchange({ target, key: "good" }), found("[]"))
    expectResponse(yield* exchange({ target, key: "bad" }), wrongKey)
    expectResponse(yield* exchange({ ...thing, key: "good" }), forbidden("things:write"))
  })

  const rateLimit = { count: 1, window: Duration.hours(1) }
  served({ authentication, server: { rateLimit } })(
    "limits callers whose tokens are checked elsewhere, and addresses that send wrong ones",
    function* () {
      const statuses = yield* Effect.forEach(["good", "good", "bad", "bad"], (key) =>
        Effect.map(exchange({ target: "/v1/things", key }), ({ status }) => status)
      )
      expect(statuses).toEqual([200, 429, 401, 429])
    }
  )

  const failure = (change: Partial<ReturnType<typeof Harness.api>>) =>
    ApiServer.layer({ ...Harness.api(), ...change }).pipe(
      Layer.provide([Things.layer(), authentication, Harness.listener()]),
      Layer.build,
      Effect.sandbox,
      Effect.flip,
      Effect.map(Cause.pretty)
    )

  it.scopedLive("does not start with a path outside its prefix", () =>
    Effect.map(failure({ prefix: "/v3", basePath: "/v3" }), (cause) =>
      expect(cause).toContain("the path of listThings, /v1/things, must start with /v3/")
    )
  )

  it.scopedLive.each(["/shop", "shop/v1"])("does not start with the base path %s", (basePath) =>
    Effect.map(failure({ basePath }), (cause) =>
      expect(cause).toContain(
        `the base path ${basePath} must start with / and end with the prefix, /v1`
      )
    )
  )

  it.scopedLive("does not start without a handler for each of its endpoints", () => {
    const handlers = Effect.map(Things.handlers, ({ putShape, ...others }) => others)
    // Only a program that is not compiled can leave one out.
    return Effect.map(failure({ handlers: handlers as never }), (cause) =>
      expect(cause).toContain("there is no handler for putShape")
    )
  })
})
