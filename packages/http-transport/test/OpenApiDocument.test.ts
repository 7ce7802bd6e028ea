import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { describe, expect, it, vi } from "@effect/vitest"
import { Examples, RequiredScope } from "@petstore/http-transport/Annotations"
import * as ErrorBody from "@petstore/http-transport/ErrorBody"
import * as OpenApiDocument from "@petstore/http-transport/OpenApiDocument"
import { Schema } from "effect"
import { contract, errors } from "./support/ThingsApi.ts"

const servers = [{ url: "https://things.example.org/v1", description: "Production" }]
type Node = ReturnType<typeof JSON.parse>
const json: Node = JSON.parse(JSON.stringify(OpenApiDocument.make({ ...contract, servers })))
const documentOf = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>
): Node => JSON.parse(JSON.stringify(OpenApiDocument.make({ api, prefix: "/v1", realm: "things" })))
const { "/things": things, "/things/{thingId}": thing } = json.paths
const messagesOf = (operation: Node, status: number) =>
  Object.values<Node>(operation.responses[status].content["application/json"].examples).map(
    ({ value }) => value.message
  )

describe("the OpenAPI document", () => {
  it("is 3.1, and says which service and version it is of, and where", () => {
    expect(json.openapi).toMatch(/^3\.1\./)
    expect(json).toMatchObject({ info: { title: "Things", version: "1.0.0" }, servers })
    expect(Object.keys(json.paths)).toHaveLength(2)
  })

  it("names this server, at the base path, unless others are given", () => {
    const serversAt = (basePath?: string) =>
      OpenApiDocument.make({ ...contract, ...(basePath !== undefined && { basePath }) }).servers
    expect(serversAt()).toEqual([{ url: "/v1", description: "This server" }])
    expect(serversAt("/shop/v1")).toEqual([{ url: "/shop/v1", description: "This server" }])
  })

  it("has examples of paths as callers get them, at the base path", () => {
    const text = JSON.stringify(OpenApiDocument.make({ ...contract, basePath: "/shop/v1" }))
    const examples = [...text.matchAll(/"example":"<?(\/[^"?>]*)/g)].map(([, path]) => path)
    expect(new Set(examples)).toEqual(new Set(["/shop/v1/things", "/shop/v1/things/1"]))
    expect(text).toContain("this operation is gone; use /shop/v1/things instead")
  })

  it("has what an operation is annotated with, and the example of its error of the lowest status", () => {
    const examples = (value: number) => ({ one: { summary: "One", value } })
    const endpoint = HttpApiEndpoint.post("addNote", "/notes")
      .setPayload(Schema.Number)
      .addSuccess(Schema.Number)
      .addSuccess(Schema.Number, { status: 201 })
      .addError(errors.schema("thing_changed", "not_found", "thing_not_found"))
      .annotate(Examples, { request: examples(1), response: examples(2) })
      .annotate(OpenApi.Summary, "Keep it")
      .annotate(OpenApi.Description, "For ever.")
    const group = HttpApiGroup.make("notes").add(endpoint).annotate(RequiredScope, "notes:write")
    const api = HttpApi.make("notes").add(group).addError(ErrorBody.OfTransport).prefix("/v1")
    const { components, paths } = documentOf(api)
    const { description, requestBody, responses, summary } = paths["/notes"].post
    expect([summary, description]).toEqual([
      "Keep it",
      "For ever. Needs a key with the scope `notes:write`."
    ])
    expect(requestBody.content["application/json"].examples).toEqual(examples(1))
    for (const status of [200, 201])
      expect(responses[status].content["application/json"].examples).toEqual(examples(2))
    expect(components.schemas.Error.properties.code.examples).toEqual(["thing_not_found"])
    expect(thing.get.responses[404].description).toBe("`thing_not_found`: There is no such thing.")
  })

  it("has every schema that it refers to, and the example of an error of its own", () => {
    const names = Object.keys(json.components.schemas)
    const references = [...JSON.stringify(json).matchAll(/"#\/components\/schemas\/(\w+)"/g)]
    expect(new Set(references.map(([, name]) => name))).toEqual(new Set(names))
    expect(json.components.schemas.Error.properties).toMatchObject({
      code: { examples: ["thing_not_found"] },
      message: { examples: ["there is no thing 7"] },
      status: { examples: [404] }
    })
  })

  it("shows the codes of every error, each with a message of its own", () => {
    const { description, content } = things.post.responses[400]
    const { examples } = content["application/json"]
    expect(Object.keys(examples)).toEqual(["bad_request", "malformed_json", "invalid_body"])
    for (const [code, { summary, value }] of Object.entries<Node>(examples)) {
      expect(value).toMatchObject({ code, status: 400 })
      expect(value.message).not.toBe(summary)
      expect(description).toContain(`\`${code}\`: ${summary}.`)
    }
    expect(messagesOf(thing.get, 404)).toEqual(["there is no thing 7"])
    expect(messagesOf(thing.delete, 412)).toEqual(["thing 7 has a count of 2"])
  })

  it("lists the methods of a path as the server does, whatever the order of their declaration", () => {
    const group = HttpApiGroup.make("notes")
      .add(HttpApiEndpoint.del("clear", "/notes"))
      .add(HttpApiEndpoint.patch("change", "/notes"))
      .add(HttpApiEndpoint.post("add", "/notes"))
      .add(HttpApiEndpoint.get("list", "/notes"))
    const api = HttpApi.make("notes").add(group).addError(ErrorBody.OfTransport).prefix("/v1")
    const { paths } = documentOf(api)
    expect(paths["/notes"].post.responses[405].headers.Allow.example).toBe(
      "GET, HEAD, POST, PATCH, DELETE, OPTIONS"
    )
  })

  it("shows the messages of an operation: its scope, its methods, what replaces it", () => {
    expect(messagesOf(things.get, 403)).toEqual(["the API key lacks the scope things:read"])
    expect(messagesOf(things.post, 403)).toEqual(["the API key lacks the scope things:write"])
    expect(messagesOf(thing.get, 405)).toEqual(["this path answers GET, HEAD, DELETE, OPTIONS"])
    expect(messagesOf(thing.get, 410)).toEqual(["this operation is gone; use /v1/things instead"])
  })

  it("names the removal of a deprecated operation where its name is read, in any time zone", () => {
    vi.stubEnv("TZ", "Pacific/Honolulu")
    const { deprecated, summary } = documentOf(contract.api).paths["/things/{thingId}"].get
    vi.unstubAllEnvs()
    expect({ deprecated, summary }).toEqual({
      deprecated: true,
      summary: "(removed on 5 December 2030)"
    })
    expect(things.get).not.toHaveProperty("deprecated", true)
  })

  it("has the headers of each response", () => {
    const headersOf = (operation: Node, status: number) =>
      Object.keys(operation.responses[status].headers).filter(
        (name) => !/^(?:X-|RateLimit)/.test(name)
      )
    expect(headersOf(things.get, 200)).toEqual(["Link", "ETag"])
    expect(headersOf(things.post, 201)).toEqual(["Location"])
    expect(headersOf(thing.delete, 204)).toEqual([])
    expect(headersOf(thing.get, 304)).toEqual(["ETag", "Deprecation", "Sunset", "Link"])
    expect(headersOf(thing.get, 410)).toEqual(["Cache-Control", "Deprecation", "Sunset", "Link"])
    for (const status of [429, 503])
      expect(headersOf(thing.get, status)).toEqual(["Cache-Control", "Retry-After"])
    expect(things.post.responses[201].headers.Location.required).toBe(true)
    const optional = { required: false }
    expect(things.get.responses[200].headers).toMatchObject({
      ...{ Link: optional, RateLimit: optional, "RateLimit-Policy": optional },
      "X-Request-Id": { required: true }
    })
    expect(thing.get.responses[404].headers).toMatchObject({
      Deprecation: { example: "@1794614400" },
      Sunset: { example: "Thu, 05 Dec 2030 00:00:00 GMT" },
      Link: { example: '</v1/things>; rel="successor-version"' }
    })
    const exampleOf = (status: number, name: string) =>
      things.get.responses[status].headers[name].example
    expect(exampleOf(401, "WWW-Authenticate")).toBe('Bearer realm="things"')
    expect(exampleOf(403, "WWW-Authenticate")).toBe(
      'Bearer realm="things", error="insufficient_scope", scope="things:read"'
    )
    expect(exampleOf(200, "RateLimit-Policy")).toBe('"key";q=600;w=60')
    expect(exampleOf(200, "RateLimit")).toBe('"key";r=599;t=60')
  })

  it("has the statuses and the parameters of each operation, under their usual names", () => {
    expect(Object.keys(things.post.responses)).toEqual(
      "201 400 401 403 405 408 413 415 429 431 500 503".split(" ")
    )
    const namesOf = ({ parameters }: Node) => parameters.map(({ name }: Node) => name)
    expect(namesOf(things.get)).toEqual(["limit", "cursor", "If-None-Match"])
    expect(namesOf(thing.delete)).toEqual(["thingId", "If-Match"])
    expect(thing.get.parameters[0].schema).toEqual({ type: "integer", format: "int64" })
    expect(things.get.description).toBe("Needs a key with the scope `things:read`.")
  })

  it("says nothing of other properties, so that generated clients notice misspelled ones", () => {
    expect(JSON.stringify(json.components)).not.toMatch(/additional|unevaluatedProperties/)
  })

  it("has the tags that its operations name", () => {
    const { tags } = things.get
    expect(json.tags.map(({ name }: Node) => name)).toEqual(tags)
  })
})

describe("an error body", () => {
  const documented = (error: Schema.Schema.AnyNoContext) => {
    const endpoint = HttpApiEndpoint.get("x", "/x").addError(error)
    const group = HttpApiGroup.make("x").add(endpoint)
    return documentOf(HttpApi.make("x").add(group).addError(ErrorBody.OfTransport).prefix("/v1"))
  }

  it("is made with ErrorBody, also if it is one of several", () => {
    const Reason = Schema.Struct({ reason: Schema.String })
    const other = Reason.annotations(HttpApiSchema.annotations({ status: 412 }))
    for (const schema of [other, Schema.Union(errors.schema("thing_changed"), other)])
      expect(() => documented(schema)).toThrow("the error 412 of x is not made with ErrorBody")
  })

  it("carries the status of its code and no more than 300 characters", () => {
    const body = ErrorBody.make("invalid_body", "x".repeat(1000))
    expect(body.status).toBe(400)
    expect(body.message).toHaveLength(300)
    const whole = "x".repeat(300)
    expect(ErrorBody.make("invalid_body", whole).message).toBe(whole)
    const cut = ErrorBody.make("invalid_body", `${"x".repeat(298)}😀😀`)
    expect(cut.message.isWellFormed()).toBe(true)
  })

  it.each([399, 600, 400.5])("has no status such as %d", (status) => {
    const odd = { status, meaning: "It is odd", example: "it is odd" }
    expect(() => ErrorBody.define({ odd })).toThrow("errors have one from 400 to 599")
    for (const status of [400, 599]) ErrorBody.define({ odd: { ...odd, status } })
  })
})
