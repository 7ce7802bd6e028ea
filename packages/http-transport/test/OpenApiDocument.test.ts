import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { describe, expect, it, vi } from "@effect/vitest"
import { Deprecation, Examples, RequiredScope } from "@petstore/http-transport/Annotations"
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
// What the document of a contract says is compared in whole: `openapi.json`. Here is what that contract has not.
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

  it("names the removal of a deprecated operation where its name is read, in any time zone", () => {
    vi.stubEnv("TZ", "Pacific/Honolulu")
    const { deprecated, summary } = documentOf(contract.api).paths["/things/{thingId}"].get
    vi.unstubAllEnvs()
    expect({ deprecated, summary }).toEqual({
      deprecated: true,
      summary: "(until 5 December 2030)"
    })
    expect(things.get).not.toHaveProperty("deprecated", true)
  })

  it("names the first day of a year in any time zone", () => {
    const at = { since: new Date(0), sunset: new Date("2031-01-01"), successor: "/others" }
    const get = HttpApiEndpoint.get("getTop10Notes", "/notes").annotate(Deprecation, at)
    const group = HttpApiGroup.make("notes").add(get)
    const api = HttpApi.make("notes").add(group).addError(ErrorBody.OfTransport).prefix("/v1")
    vi.stubEnv("TZ", "Pacific/Honolulu")
    const { summary } = documentOf(api).paths["/notes"].get
    vi.unstubAllEnvs()
    expect(summary).toBe("(until 1 January 2031)")
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
