/** What of a contract is served, and what does not start since it would be ignored. */
import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import { describe, expect, it } from "@effect/vitest"
import * as ApiServer from "@petstore/http-transport/ApiServer"
import { Authentication } from "@petstore/http-transport/Authentication"
import { Authorization } from "@petstore/http-transport/Authorization"
import * as ErrorBody from "@petstore/http-transport/ErrorBody"
import type { Handlers } from "@petstore/http-transport/Handlers"
import * as WebHandler from "@petstore/http-transport/WebHandler"
import { Effect, Layer, Schema } from "effect"

type Endpoint = HttpApiEndpoint.HttpApiEndpoint.Any

const everyone = Layer.succeed(Authentication, {
  authenticate: (token) => Effect.succeed({ digest: token, scopes: [] }),
  isReady: () => true
})

/** Serves these endpoints, each of which answers with its name and what it was given. */
const serve = (endpoints: ReadonlyArray<Endpoint>, middleware: typeof Authorization | null) => {
  let group: HttpApiGroup.HttpApiGroup.Any = HttpApiGroup.make("all")
  for (const endpoint of endpoints)
    group = (group as HttpApiGroup.HttpApiGroup<"all">).add(endpoint)
  const guarded = group as HttpApiGroup.HttpApiGroup<"all">
  const api = HttpApi.make("endpoints")
    .add(middleware === null ? guarded : guarded.middleware(middleware))
    .addError(ErrorBody.OfTransport)
    .prefix("/v1")
  const handlers = Object.fromEntries(
    endpoints.map(({ name }) => [
      name,
      ({ path }: { readonly path: unknown }) => Effect.succeed({ body: { name, ...Object(path) } })
    ])
  )
  const handler = WebHandler.make(
    {
      ...{ ...ApiServer.defaultsOf("/v1"), api, prefix: "/v1", realm: "endpoints" },
      // The contract is another one in each case, so its handlers are not typed here.
      handlers: Effect.succeed(handlers as unknown as Handlers<HttpApiGroup.HttpApiGroup.Any>)
    },
    everyone
  )
  const send = async (target: string, method = "GET") => {
    const headers = { Authorization: "Bearer x" }
    const response = await handler(new Request(`http://localhost${target}`, { method, headers }))
    return [response.status, await response.text()]
  }
  return send
}

const { String: Text } = Schema
const answer = Schema.Struct({
  name: Text,
  key: Schema.optional(Text),
  part: Schema.optional(Text),
  other: Schema.optional(Text)
})
const get = (name: string, path: `/${string}`, ...parameters: ReadonlyArray<string>) =>
  HttpApiEndpoint.get(name, path)
    .setPath(Schema.Struct(Object.fromEntries(parameters.map((one) => [one, Text]))))
    .addSuccess(answer)

describe("paths", () => {
  const send = serve(
    [
      get("part", "/toys/:key/:part", "key", "part"),
      get("toy", "/toys/:key", "key"),
      get("all", "/toys"),
      get("new", "/toys/new"),
      get("first", "/toys/first/:other", "other"),
      get("dotted", "/a.b(c)/:key", "key"),
      HttpApiEndpoint.post("add", "/toys/:other")
        .setPath(Schema.Struct({ other: Text }))
        .addSuccess(answer)
    ],
    Authorization
  )
  const nothing = [404, expect.stringContaining('"not_found"')]

  it.each<[string, unknown, string?]>([
    ["/v1/toys", [200, '{"name":"all"}']],
    ["/v1/toys/ball", [200, '{"name":"toy","key":"ball"}']],
    ["/v1/toys/red%20ball", [200, '{"name":"toy","key":"red ball"}']],
    ["/v1/toys/%C3%A9%2F", [200, '{"name":"toy","key":"é/"}']],
    // A path has one spelling.
    ["/v1/toys/b%61ll", [200, '{"name":"toy","key":"b%61ll"}']],
    ["/v1/toys/%FF", [200, '{"name":"toy","key":"%FF"}']],
    ["/v1/toys/ball/2", [200, '{"name":"part","key":"ball","part":"2"}']],
    ["/v1/toys/new", [200, '{"name":"new"}']],
    ["/v1/toys/first/2", [200, '{"name":"first","other":"2"}']],
    ["/v1/toys/x", [200, '{"name":"add","other":"x"}'], "POST"],
    ["/v1/toys/x", [405, expect.stringContaining("GET, HEAD, POST, OPTIONS")], "PUT"],
    [
      "/v1/toys/new",
      [405, expect.stringContaining("this path answers GET, HEAD, OPTIONS")],
      "POST"
    ],
    ["/v1/a.b(c)/x", [200, '{"name":"dotted","key":"x"}']],
    ["/v1/aXb(c)/x", nothing],
    ["/v1/toys/", nothing],
    ["/v1/toys/a/b/c", nothing]
  ])("%s", async (target, expected, method) => {
    expect(await send(target, method)).toEqual(expected)
  })
})

class Admin extends HttpApiMiddleware.Tag<Admin>()("Admin") {}

describe("an endpoint does not start, and says why", () => {
  const x = HttpApiEndpoint.get("x", "/x")
  const bytes = HttpApiSchema.Uint8Array()
  it.each<[string, ReadonlyArray<Endpoint>, string]>([
    ["with other middleware", [x.middleware(Admin)], "only Authorization is served"],
    [
      "with a payload that is no JSON",
      [HttpApiEndpoint.post("x", "/x").setPayload(HttpApiSchema.Multipart(answer))],
      "its payload is multipart/form-data, and only application/json can be read"
    ],
    [
      "with a payload of GET",
      [x.setPayload(Schema.Struct({ name: Text }))],
      "a GET has no payload: declare it with setUrlParams"
    ],
    [
      "with a success that is no JSON",
      [x.addSuccess(bytes)],
      "its success is application/octet-stream, and only application/json can be written"
    ],
    [
      "with several successes",
      [x.addSuccess(answer).addSuccess(answer, { status: 201 })],
      "it has several successes, and only one is served"
    ],
    [
      "with an error of another shape",
      [x.addError(answer)],
      "the error 500 of x is not made with ErrorBody"
    ],
    [
      "beside another of its method and path",
      [get("x", "/x/:key", "key"), get("y", "/x/:part", "part")],
      "two endpoints answer one method of /v1/x/:key"
    ]
  ])("%s", async (_, endpoints, why) => {
    await expect(serve(endpoints, Authorization)("/v1/x")).rejects.toThrow(why)
  })

  it("without Authorization", async () => {
    const why = "its middleware is [], and only Authorization is served"
    await expect(serve([x], null)("/v1/x")).rejects.toThrow(why)
  })
})
