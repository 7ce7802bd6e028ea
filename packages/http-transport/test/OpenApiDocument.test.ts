import { describe, expect, it, vi } from "@effect/vitest"
import * as ErrorBody from "@petstore/http-transport/ErrorBody"
import * as OpenApiDocument from "@petstore/http-transport/OpenApiDocument"
import { contract } from "./support/ThingsApi.ts"

const servers = [{ url: "https://things.example.org/v1", description: "Production" }]
const document = OpenApiDocument.make({ ...contract, servers })

// What the document of a contract says is compared in whole: `openapi.json`. Here is what that contract has not.
describe("the OpenAPI document", () => {
  it("is 3.1, and says which service and version it is of, and where", () => {
    expect(document.openapi).toMatch(/^3\.1\./)
    expect(document).toMatchObject({ info: { title: "Things", version: "1.0.0" }, servers })
    expect(Object.keys(document.paths)).toEqual(["/things", "/things/{thingId}"])
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

  it("names the removal of a deprecated operation where its name is read, in any time zone", () => {
    vi.stubEnv("TZ", "Pacific/Honolulu")
    const { paths } = OpenApiDocument.make(contract)
    vi.unstubAllEnvs()
    expect(paths["/things/{thingId}"].get).toMatchObject({
      deprecated: true,
      summary: "(until 5 December 2030)"
    })
    expect(paths["/things"].get).not.toHaveProperty("deprecated", true)
  })
})

describe("an error body", () => {
  it("carries the status of its code and no more than 300 characters", () => {
    const body = ErrorBody.make("invalid_body", "x".repeat(1000))
    expect(body.status).toBe(400)
    expect(body.message).toHaveLength(300)
    const whole = "x".repeat(300)
    expect(ErrorBody.make("invalid_body", whole).message).toBe(whole)
    const cut = ErrorBody.make("invalid_body", `${"x".repeat(298)}😀😀`)
    expect(cut.message.isWellFormed()).toBe(true)
  })
})
