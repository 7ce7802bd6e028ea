/** An API of one's own in the servers of others, as the README of http-server shows it. */
import { once } from "node:events"
import { createServer, type Server } from "node:http"
import { Mounting } from "@petstore/http-server"
import * as Adoptions from "adoptions/Adoptions"
import express from "express"
import { SignJWT } from "jose"
import { describe, expect, it } from "vitest"
import { layer } from "../src/hosts/layer.ts"
import { listen, originOf } from "./support/Listening.ts"

const { JWT_SECRET = "" } = process.env
const secret = new TextEncoder().encode(JWT_SECRET)
const tokenOf = (scope: string, expires = "1h", signedWith = secret) =>
  new SignJWT({ scope })
    .setProtectedHeader({ alg: "HS256" })
    .setIssuer("https://issuer.example")
    .setAudience("toys")
    .setSubject("ada")
    .setExpirationTime(expires)
    .sign(signedWith)

const scopes = "pets:read pets:write adoptions:read adoptions:write"
const json = { "Content-Type": "application/json" }
const post = (body: string, headers: Readonly<Record<string, string>> = json) => ({
  method: "POST",
  headers,
  body
})

/** In this order: what was added before is found later. */
const requests: ReadonlyArray<readonly [path: string, init?: RequestInit]> = [
  ["/v1/pets", post('{"name":"Rex","categoryId":9007199254740993}')],
  ["/v1/pets", post('{"name":"Tom","categoryId":1}')],
  ["/v1/pets?limit=1"],
  ["/v1/pets?limit=x"],
  ["/v1/adoptions", post('{"petId":7,"adopter":"Ada"}')],
  ["/v1/adoptions", post('{"petId":1}')],
  ["/v1/adoptions", post("{")],
  ["/v1/adoptions", post("")],
  ["/v1/adoptions", post("{}", { "Content-Type": "text/plain" })],
  ["/v1/adoptions", post(`"${"x".repeat(70_000)}"`)],
  ["/v1/adoptions", { method: "DELETE" }],
  ["/v1/adoptions", { method: "OPTIONS" }],
  ["/v1/pets", { method: "HEAD" }],
  ["/v1/adoptions/7"],
  ["/v1/nothing"],
  ["/"],
  ["/nothing"],
  ["/openapi.json"],
  ["/docs"],
  ["/readyz"]
]

/** What a host decides. */
const ofHost = new Set(["connection", "date", "keep-alive", "transfer-encoding", "x-request-id"])

const ask = async (send: (path: string, init: RequestInit) => Promise<Response>) => {
  const usual = { Authorization: `Bearer ${await tokenOf(scopes)}`, "Accept-Encoding": "identity" }
  const answers = []
  for (const [path, init = {}] of requests) {
    const headers = { ...usual, ...init.headers }
    const response = await send(path, { ...init, headers })
    answers.push({
      request: `${init.method ?? "GET"} ${path}`,
      status: response.status,
      headers: [...response.headers].filter(([name]) => !ofHost.has(name)).sort(),
      body: await response.text()
    })
  }
  return answers
}

describe.each(["express", "fastify", "hono"])("in %s", (name) => {
  it("an API answers as it does alone, and the host serves the rest", async ({
    onTestFinished
  }) => {
    const { server }: { server: Server } = await import(`../src/hosts/${name}.ts`)
    if (!server.listening) await once(server, "listening")
    const origin = originOf(server, onTestFinished)
    const alone = Mounting.toWebHandler(Adoptions.at("/shop/v1"), layer)
    onTestFinished(alone.dispose)
    const expected = await ask((path, init) => alone.handler(new Request(`${origin}${path}`, init)))
    expect(new Set(expected.map(({ status }) => status))).toEqual(
      new Set([200, 201, 204, 400, 404, 405, 413, 415])
    )
    expect(await ask((path, init) => fetch(`${origin}/shop${path}`, init))).toEqual(expected)
    const echo = await fetch(`${origin}/echo`, post('{"a":1}'))
    expect(await echo.json()).toEqual({ a: 1 })
  })
})

describe("behind a parser of bodies", () => {
  it("an API says what is wrong", async ({ onTestFinished }) => {
    const { dispose, handler } = Mounting.toNodeHandler(Adoptions.at("/v1"), layer)
    onTestFinished(dispose)
    const server = createServer(express().use(express.json()).use(handler))
    const origin = await listen(server, onTestFinished)
    const response = await fetch(`${origin}/v1/pets`, post("{}"))
    expect([response.status, await response.text()]).toEqual([
      500,
      expect.stringContaining("mount it before any parser of bodies")
    ])
  })
})

describe("with JWTs", () => {
  it("callers may do what their scopes say, until the token expires", async ({
    onTestFinished
  }) => {
    const { dispose, handler } = Mounting.toWebHandler(Adoptions.at("/v1"), layer)
    onTestFinished(dispose)
    const statusOf = async (token: string) => {
      const headers = { Authorization: `Bearer ${token}` }
      return (await handler(new Request("http://localhost/v1/pets", { headers }))).status
    }
    expect(await statusOf(await tokenOf("pets:read"))).toBe(200)
    expect(await statusOf(await tokenOf("adoptions:read"))).toBe(403)
    expect(await statusOf(await tokenOf("pets:read", "-1s"))).toBe(401)
    const stranger = new TextEncoder().encode("another secret of thirty-two bytes")
    expect(await statusOf(await tokenOf("pets:read", "1h", stranger))).toBe(401)
    expect(await statusOf("key")).toBe(401)
  })
})
