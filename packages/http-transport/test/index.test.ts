/** The index at `/`. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type Case, suite } from "./support/Cases.ts"
import { exchange } from "./support/Connection.ts"
import { answer, notAllowed, options, toHead } from "./support/Expected.ts"
import * as Harness from "./support/Harness.ts"

const body =
  '{"name":"Things","version":"1.0.0","links":{"docs":"/docs","openapi":"/openapi.json",' +
  '"health":"/healthz","readiness":"/readyz","things":"/v1/things"}}'
const index = answer(200, body, ["Vary: Accept"])
const toDocs = answer(303, body, ["Vary: Accept", "Location: /docs"])

const request = (accept?: string) => ({
  target: "/",
  key: null,
  headers: accept === undefined ? [] : [`Accept: ${accept}`]
})
const giving =
  (expected: typeof index) =>
  (accept?: string): Case => [
    `answers ${expected.status} to Accept: ${accept}`,
    request(accept),
    expected
  ]
const json = giving(index)
const html = giving(toDocs)

suite("the index", [
  ["is at a whole address without a path", { ...request(), target: "http://localhost" }, index],
  ["is at a whole address with a query only", { ...request(), target: "http://a?b" }, index],
  json(),
  json(""),
  json("*/*"),
  json("application/json"),
  json("application/json, text/html"),
  json("text/html2, text"),
  html("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"),
  html("text/html"),
  html("Text/HTML;charset=utf-8; Q=1.0"),
  ["is there for a caller with a wrong key, too", { target: "/", key: "wrong" }, index],
  ["is there whatever the query", { target: "/?/v1/things", key: null }, index],
  ["answers HEAD", { ...request(), method: "HEAD" }, toHead(index)],
  ["answers HEAD of a browser", { ...request("text/html"), method: "HEAD" }, toHead(toDocs)],
  ["lists its methods", { ...request(), method: "OPTIONS" }, options("GET, HEAD, OPTIONS")],
  ["refuses POST", { ...request(), method: "POST" }, notAllowed("GET, HEAD, OPTIONS")]
])

const inShop = body.replaceAll('":"/', '":"/shop/')
suite(
  "the index behind a path",
  [
    ["has links below it", request(), answer(200, inShop, ["Vary: Accept"])],
    [
      "leads browsers to the page below it",
      request("text/html"),
      answer(303, inShop, ["Vary: Accept", "Location: /shop/docs"])
    ]
  ],
  { server: { basePath: "/shop/v1" } }
)

layer(Harness.layer(), { excludeTestServices: true })("the links of the index", (it) => {
  it.effect("lead to what they name", () =>
    Effect.gen(function* () {
      const { links } = JSON.parse((yield* exchange(request())).body)
      for (const [name, link] of Object.entries<string>(links)) {
        expect([name, (yield* exchange({ target: link })).status]).toEqual([name, 200])
      }
    })
  )
})
