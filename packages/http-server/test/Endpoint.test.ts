/** What an endpoint of the contract may declare, and its handler answer. */

import { IncomingMessage, ServerResponse } from "node:http"
import { Socket } from "node:net"
import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import { describe, expect, it } from "@effect/vitest"
import { KeyDigest } from "@petstore/access/ApiKey"
import { RequiredScope } from "@petstore/http-contract/Annotations"
import type { Success } from "@petstore/http-server/Handlers"
import { Clock, Effect, Schema } from "effect"
import * as Backlog from "../src/internal/Backlog.ts"
import * as Endpoint from "../src/internal/Endpoint.ts"
import * as Exchange from "../src/internal/Exchange.ts"

const Count = Schema.Struct({ count: Schema.Int })

class Group extends HttpApiGroup.make("things")
  .add(
    HttpApiEndpoint.del("remove", "/things")
      .addSuccess(HttpApiSchema.NoContent)
      .annotate(RequiredScope, "pets:write")
  )
  .add(
    HttpApiEndpoint.put("put", "/things")
      .addSuccess(Count)
      .addSuccess(Count.annotations(HttpApiSchema.annotations({ status: 201 })))
      .addSuccess(HttpApiSchema.Empty(202))
      .setHeaders(Schema.Struct({ "if-match": Schema.optional(Schema.NumberFromString) }))
      .annotate(RequiredScope, "pets:write")
  ) {}

const options = { basePath: "", maxBodyBytes: 100, realm: "things" }
const clock = Clock.make()
const caller = { digest: KeyDigest.make("0".repeat(64)), scopes: ["pets:write"] }

const noBacklog = Backlog.make({ maxUnsentBytes: 0, sendTimeout: 0 }, () => {})

/** What the endpoint of this name answers when its handler succeeds with this. */
const answer = (
  name: string,
  handler: (request: { readonly headers: unknown }) => Success<unknown>,
  headers: Readonly<Record<string, string>> = {}
) => {
  const request = Object.assign(new IncomingMessage(new Socket()), { headers })
  const exchange = new Exchange.Exchange(request, new ServerResponse(request), noBacklog, false)
  const replies: Array<Effect.Effect<unknown, unknown>> = []
  HttpApi.reflect(HttpApi.make("test").add(Group), {
    onGroup: () => {},
    onEndpoint: (reflected) => {
      if (reflected.endpoint.name !== name) return
      const route = Endpoint.compile(reflected, (it) => Effect.succeed(handler(it)), options, clock)
      replies.push(route.handle(exchange, {}, caller))
    }
  })
  return Effect.runSync(Effect.merge(replies[0] ?? Effect.dieMessage(`no endpoint ${name}`)))
}

const none: ReadonlyArray<string> = []
const json = (text: string) => ({
  content: text,
  bytes: text.length,
  headers: ["Content-Type", "application/json", "Content-Length", String(text.length)]
})

describe("an endpoint", () => {
  it("may succeed without a body", () => {
    expect(answer("remove", () => ({ body: undefined, headers: none }))).toEqual({
      status: 204,
      headers: none
    })
  })

  it("may declare several successes, the first of which is the usual one", () => {
    const body = { count: 1 }
    const headers = ["ETag", '"1"']
    expect(answer("put", () => ({ body, headers }))).toEqual({
      ...{ status: 200, headers, body: json('{"count":1}') }
    })
    expect(answer("put", () => ({ status: 201, body, headers }))).toEqual({
      ...{ status: 201, headers, body: json('{"count":1}') }
    })
    expect(answer("put", () => ({ status: 202, body, headers }))).toEqual({ status: 202, headers })
  })

  it("may answer 304, by the headers that it declares", () => {
    const handler = ({ headers }: { readonly headers: unknown }) =>
      JSON.stringify(headers) === '{"if-match":5}'
        ? { status: 304, body: undefined, headers: none }
        : { body: { count: 2 }, headers: none }
    expect(answer("put", handler, { "if-match": "5" })).toEqual({ status: 304, headers: none })
    expect(answer("put", handler, { "if-match": "6" })).toMatchObject({ status: 200 })
    expect(answer("put", handler, { "if-match": "x" })).toMatchObject({ status: 400 })
  })
})
