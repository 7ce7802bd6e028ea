/** An API of one's own gets what pets have. */
import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { describe, expect, it } from "@effect/vitest"
import { Examples, RequiredScope } from "@petstore/http-contract/Annotations"
import * as ErrorBody from "@petstore/http-contract/ErrorBody"
import * as ApiServer from "@petstore/http-server/ApiServer"
import { Authentication } from "@petstore/http-server/Authentication"
import type { Handlers } from "@petstore/http-server/Handlers"
import { HttpListener } from "@petstore/http-server/HttpListener"
import { Cause, Effect, Layer, Schema } from "effect"
import * as Harness from "./support/Harness.ts"

const errors = ErrorBody.define({
  toy_not_found: [404, "There is no such toy", "check the name", "there is no toy ball"]
})

const Toy = Schema.Struct({ name: Schema.String }).annotations({ identifier: "Toy" })

class Toys extends HttpApiGroup.make("toys")
  .add(
    HttpApiEndpoint.get("getToy", "/toys/:name")
      .setPath(Schema.Struct({ name: Schema.String.pipe(Schema.pattern(/^[a-z]+$/)) }))
      .addSuccess(Toy)
      .addError(errors.schema("toy_not_found"))
      .annotate(RequiredScope, "toys:read")
  )
  .add(
    HttpApiEndpoint.post("addToy", "/toys")
      .setPayload(Toy)
      .addSuccess(Toy, { status: 201 })
      .addError(ErrorBody.schema("malformed_json", "invalid_body"))
      .annotate(RequiredScope, "toys:write")
      .annotate(Examples, { response: { ball: { summary: "A ball", value: { name: "ball" } } } })
  ) {}

class Shops extends HttpApiGroup.make("shops").add(
  HttpApiEndpoint.get("listShops", "/shops").addSuccess(Schema.Array(Schema.String))
) {}

class Api extends HttpApi.make("toys")
  .add(Toys)
  .add(Shops)
  .addError(ErrorBody.schema("unauthorized", "forbidden"))
  .prefix("/v2")
  .annotate(OpenApi.Title, "Toys")
  .annotate(OpenApi.Version, "2.1.0") {}

const handlers: Handlers<typeof Toys | typeof Shops> = {
  getToy: ({ path: { name } }) =>
    name === "ball"
      ? Effect.succeed({ body: { name } })
      : Effect.fail({ body: errors.make("toy_not_found", `there is no toy ${name}`) }),
  addToy: ({ payload }) =>
    Effect.succeed({ body: payload, headers: ["Location", `/v2/toys/${payload.name}`] }),
  listShops: ({ caller }) => Effect.succeed({ body: [`shop of ${caller.digest}`] })
}

/** Tokens such as `ada:toys:read` are checked elsewhere, which takes a while. */
const authentication = Layer.succeed(Authentication, {
  authenticate: (token) => {
    const [, digest = "", scope = ""] = /^(\w+):(.*)$/.exec(token) ?? []
    return Effect.zipRight(
      Effect.sleep(1),
      digest === ""
        ? Effect.fail({ reason: "unsigned" })
        : Effect.succeed({ digest, scopes: [scope] })
    )
  },
  isReady: () => true
})

const options = { ...ApiServer.defaultsOf("/v2"), api: Api, prefix: "/v2", realm: "toys" }
const served = (ready: Effect.Effect<unknown, unknown> = Effect.void) =>
  ApiServer.layer({ ...options, handlers: Effect.succeed(handlers), ready }).pipe(
    Layer.provide(authentication),
    Layer.provideMerge(Harness.listener())
  )

const send = (path: string, token?: string, init: RequestInit = {}) =>
  Effect.flatMap(HttpListener, ({ url }) =>
    Effect.promise(async () => {
      const headers = { ...(token && { Authorization: `Bearer ${token}` }), ...init.headers }
      const response = await fetch(`${url}${path}`, { ...init, headers })
      const text = await response.text()
      return {
        status: response.status,
        headers: response.headers,
        body: text === "" ? undefined : JSON.parse(text)
      }
    })
  )

describe("an API of one's own", () => {
  it.scopedLive("is served with keys, scopes, errors, HEAD and OPTIONS", () =>
    Effect.gen(function* () {
      const found = yield* send("/v2/toys/ball", "ada:toys:read")
      expect(found).toMatchObject({ status: 200, body: { name: "ball" } })
      const missing = yield* send("/v2/toys/bone", "ada:toys:read")
      expect(missing).toMatchObject({
        status: 404,
        body: { code: "toy_not_found", message: "there is no toy bone", status: 404 }
      })
      const impossible = yield* send("/v2/toys/7", "ada:toys:read")
      expect(impossible).toMatchObject({ status: 404, body: { code: "toy_not_found" } })
      const added = yield* send("/v2/toys", "ada:toys:write", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: '{"name":"bone"}'
      })
      expect(added).toMatchObject({ status: 201, body: { name: "bone" } })
      expect(added.headers.get("Location")).toBe("/v2/toys/bone")
      const shops = yield* send("/v2/shops", "ada:anything")
      expect(shops).toMatchObject({ status: 200, body: ["shop of ada"] })

      const stranger = yield* send("/v2/toys/ball")
      expect(stranger).toMatchObject({ status: 401, body: { code: "unauthorized" } })
      expect(stranger.headers.get("WWW-Authenticate")).toBe('Bearer realm="toys"')
      expect(yield* send("/v2/toys/ball", "unsigned")).toMatchObject({ status: 401 })
      const forbidden = yield* send("/v2/toys/ball", "ada:toys:write")
      expect(forbidden.body.message).toBe("the API key lacks the scope toys:read")
      expect((yield* send("/v2/toys/ball", "ada:toys:read", { method: "HEAD" })).status).toBe(200)
      const options = yield* send("/v2/toys", "ada:toys:read", { method: "OPTIONS" })
      expect(options.headers.get("Allow")).toBe("POST, OPTIONS")
    }).pipe(Effect.provide(served()))
  )

  it.scopedLive("has an index, a document and docs", () =>
    Effect.gen(function* () {
      const { body: index } = yield* send("/")
      expect(index).toMatchObject({ name: "Toys", version: "2.1.0", links: { shops: "/v2/shops" } })
      const { body: document } = yield* send("/openapi.json")
      expect(document.info).toMatchObject({ title: "Toys", version: "2.1.0" })
      expect(Object.keys(document.paths)).toEqual(["/toys/{name}", "/toys", "/shops"])
      const { 404: missing, 403: forbidden } = document.paths["/toys/{name}"].get.responses
      expect(missing.description).toBe("`toy_not_found`: There is no such toy.")
      expect(missing.content["application/json"].examples.toy_not_found.value).toEqual({
        code: "toy_not_found",
        message: "there is no toy ball",
        status: 404
      })
      expect(forbidden.headers["WWW-Authenticate"].example).toContain('scope="toys:read"')
      const { url } = yield* HttpListener
      const page = yield* Effect.promise(async () => (await fetch(`${url}/docs`)).text())
      expect(page).toContain("<title>Toys</title>")
      expect(page).toContain('data-server="./v2"')
    }).pipe(Effect.provide(served()))
  )

  it.scopedLive("is ready when its own check succeeds", () =>
    Effect.gen(function* () {
      expect((yield* send("/readyz")).status).toBe(503)
    }).pipe(Effect.provide(served(Effect.fail("no disk"))))
  )

  it.scopedLive("does not start without the prefix of its paths", () =>
    Effect.gen(function* () {
      const wrong = ApiServer.layer({
        ...options,
        prefix: "/v3",
        handlers: Effect.succeed(handlers)
      }).pipe(Layer.provide(authentication), Layer.provide(Harness.listener()))
      const cause = yield* Effect.flip(Effect.sandbox(Layer.build(wrong)))
      expect(Cause.pretty(cause)).toContain(
        "the path of getToy, /v2/toys/:name, must start with /v3/"
      )
    })
  )
})
