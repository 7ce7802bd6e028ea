/** What a contract may contain. */
import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import { describe, expect, it } from "@effect/vitest"
import { Deprecation, RequiredScope } from "@petstore/http-transport/Annotations"
import * as ApiServer from "@petstore/http-transport/ApiServer"
import { Authentication } from "@petstore/http-transport/Authentication"
import * as ErrorBody from "@petstore/http-transport/ErrorBody"
import { created, type Handlers } from "@petstore/http-transport/Handlers"
import * as Mounting from "@petstore/http-transport/Mounting"
import * as OpenApiDocument from "@petstore/http-transport/OpenApiDocument"
import { Int64 } from "@petstore/kernel/Int64"
import { Context, DateTime, Duration, Effect, Layer, Schema } from "effect"
import * as Logs from "./support/Logs.ts"

const everyone = Layer.succeed(Authentication, {
  authenticate: (token) => Effect.succeed({ digest: token, scopes: [] }),
  isReady: () => true
})

/** An API with this endpoint, `POST /v1/x`, `GET /v1/x` or another, and perhaps a second one. */
const apiOf = (
  endpoint: HttpApiEndpoint.HttpApiEndpoint.Any,
  second?: HttpApiEndpoint.HttpApiEndpoint.Any
) =>
  HttpApi.make("shapes")
    .add(HttpApiGroup.make("shapes").add(endpoint))
    .add(second ? HttpApiGroup.make("second").add(second) : HttpApiGroup.make("none"))
    .addError(ErrorBody.OfTransport)
    .prefix("/v1")

/** Serves an endpoint whose handler answers this; what is sent to it, and what is logged. */
const serve = (
  endpoint: HttpApiEndpoint.HttpApiEndpoint.Any,
  handle: (request: { readonly payload: unknown; readonly urlParams: unknown }) => unknown = () =>
    undefined,
  second?: HttpApiEndpoint.HttpApiEndpoint.Any,
  basePath = "/v1",
  everywhere: Context.Context<never> = Context.empty()
) => {
  const logs = Logs.make()
  const x = (request: never) => Effect.succeed(handle(request))
  const handlers = { x, y: x }
  const { dispose, handler } = Mounting.toWebHandler(
    {
      ...{ ...ApiServer.defaultsOf("/v1"), basePath },
      api: apiOf(endpoint, second).annotateContext(everywhere),
      ...{ prefix: "/v1", realm: "shapes" },
      // The contract is another one in each case, so its handlers are not typed here.
      handlers: Effect.succeed(handlers as unknown as Handlers<HttpApiGroup.HttpApiGroup.Any>)
    },
    Layer.merge(everyone, logs.layer)
  )
  const send = async (method: string, body?: string, query = "") => {
    const headers = { Authorization: "Bearer x", "Content-Type": "application/json" }
    const init = { method, headers, ...(body !== undefined && { body }) }
    const response = await handler(new Request(`http://localhost/v1/x${query}`, init))
    const { headers: received, status } = response
    return { status, type: received.get("content-type"), text: await response.text(), received }
  }
  return { dispose, lines: logs.lines, send }
}

class Point extends Schema.Class<Point>("Point")({ x: Schema.Number, at: Schema.Date }) {}
interface Folder {
  readonly size: bigint
  readonly folders: ReadonlyArray<Folder>
}
interface EncodedFolder {
  readonly size: number | bigint
  readonly folders: ReadonlyArray<EncodedFolder>
}
const Folder = Schema.Struct({
  size: Int64,
  folders: Schema.Array(Schema.suspend((): Schema.Schema<Folder, EncodedFolder> => Folder))
}).annotations({ identifier: "Folder" })

const day = new Date("2026-11-18T00:00:00.000Z")
const large = 9007199254740993n

interface Value {
  readonly schema: Schema.Schema<unknown>
  readonly example: unknown
  readonly text: string
}
const value = <A, I>(schema: Schema.Schema<A, I>, example: A, text: string): Value => ({
  schema: Schema.make(schema.ast),
  example,
  text
})

/** What is sent and answered as JSON: a body that is read is answered, and comes back as it was sent. */
const json: Readonly<Record<string, Value>> = {
  "`String`": value(Schema.String, "a", '"a"'),
  "`Number`": value(Schema.Number, 9.5, "9.5"),
  "`Boolean`": value(Schema.Boolean, true, "true"),
  "`Literal`": value(Schema.Literal("a", 1, null), 1, "1"),
  "`Int64`": value(Int64, large, String(large)),
  "`Struct`": value(
    Schema.Struct({ price: Schema.Number, count: Schema.Int, id: Int64, on: Schema.String }),
    { price: 9.5, count: 2, id: large, on: "2026-01-02" },
    `{"price":9.5,"count":2,"id":${large},"on":"2026-01-02"}`
  ),
  "`Array`": value(Schema.Array(Int64), [1n, large], `[1,${large}]`),
  "`NullOr`": value(Schema.Struct({ a: Schema.NullOr(Int64) }), { a: null }, '{"a":null}'),
  "`optional`": value(Schema.Struct({ a: Schema.optional(Schema.String) }), {}, "{}"),
  "`suspend`": value(
    Folder,
    { size: 1n, folders: [{ size: large, folders: [] }] },
    `{"size":1,"folders":[{"size":${large},"folders":[]}]}`
  ),
  "`Union`": value(
    Schema.Union(Schema.Struct({ a: Schema.Int }), Schema.Struct({ b: Int64 })),
    { b: large },
    `{"b":${large}}`
  ),
  "`Record`": value(
    Schema.Record({ key: Schema.String, value: Schema.Number }),
    { a: 1, b: 1.5 },
    '{"a":1,"b":1.5}'
  ),
  "`Tuple`": value(Schema.Tuple(Schema.Int, Int64), [1, large], `[1,${large}]`),
  "`Date`": value(Schema.Date, day, `"${day.toISOString()}"`),
  "`DateTimeUtc`": value(Schema.DateTimeUtc, DateTime.unsafeMake(day), `"${day.toISOString()}"`),
  "`Class`": value(Point, new Point({ x: 1, at: day }), `{"x":1,"at":"${day.toISOString()}"}`),
  "`optionalWith`": value(
    Schema.Struct({ a: Schema.optionalWith(Schema.Number, { default: () => 0 }) }),
    { a: 1 },
    '{"a":1}'
  ),
  "`Unknown`": value(Schema.Unknown, { a: [1, { b: null }] }, '{"a":[1,{"b":null}]}'),
  "`transform`": value(Schema.NumberFromString, 1.5, '"1.5"')
}

const get = HttpApiEndpoint.get("x", "/x")
const post = HttpApiEndpoint.post("x", "/x")

/** Answers that are not JSON: the endpoint, what its handler gives, and what is sent. */
const others = {
  "`HttpApiSchema.Text`": {
    endpoint: get.addSuccess(HttpApiSchema.Text()),
    answer: { body: "é" },
    sent: { status: 200, type: "text/plain; charset=utf-8", text: "é" }
  },
  "`HttpApiSchema.Uint8Array`": {
    endpoint: get.addSuccess(HttpApiSchema.Uint8Array()),
    answer: { body: new Uint8Array([104, 105]) },
    sent: { status: 200, type: "application/octet-stream", text: "hi" }
  },
  "`HttpApiSchema.NoContent`": {
    endpoint: get.addSuccess(HttpApiSchema.NoContent),
    answer: { body: undefined },
    sent: { status: 204, type: null, text: "" }
  },
  "`HttpApiSchema.Empty`": {
    endpoint: get.addSuccess(HttpApiSchema.Empty(202)),
    answer: { body: undefined },
    sent: { status: 202, type: null, text: "" }
  },
  "`HttpApiSchema.asEmpty`": {
    endpoint: get.addSuccess(
      Schema.Number.pipe(HttpApiSchema.asEmpty({ status: 202, decode: () => 1 }))
    ),
    answer: { body: 1 },
    sent: { status: 202, type: null, text: "" }
  }
}

/** More of them, which the README does not name. */
const encoded = {
  "a text with a charset": {
    endpoint: get.addSuccess(HttpApiSchema.Text({ contentType: "text/html; Charset=ascii" })),
    answer: { body: "a" },
    sent: { status: 200, type: "text/html; Charset=ascii", text: "a" }
  },
  "what is encoded as a text": {
    endpoint: get.addSuccess(
      Schema.DateTimeUtc.pipe(HttpApiSchema.withEncoding({ kind: "Text", contentType: "text/csv" }))
    ),
    answer: { body: DateTime.unsafeMake(day) },
    sent: { status: 200, type: "text/csv; charset=utf-8", text: day.toISOString() }
  },
  "JSON of another type": {
    endpoint: get.addSuccess(
      Schema.Number.pipe(
        HttpApiSchema.withEncoding({ kind: "Json", contentType: "application/ld+json" })
      )
    ),
    answer: { body: 1 },
    sent: { status: 200, type: "application/ld+json", text: "1" }
  }
}

class Gone extends Schema.TaggedError<Gone>()("Gone", {}) {}
const file = Schema.Struct({ file: Schema.String })

/** What does not start, and why. */
const refused = {
  "`HttpApiSchema.Multipart`": {
    endpoint: post.setPayload(HttpApiSchema.Multipart(file)),
    why: "x cannot be served: its payload is multipart/form-data, and only application/json can be read"
  },
  "`HttpApiSchema.MultipartStream`": {
    endpoint: post.setPayload(HttpApiSchema.MultipartStream(file)),
    why: "x cannot be served: its payload is multipart/form-data, and only application/json can be read"
  },
  "`HttpApiSchema.withEncoding`": {
    endpoint: post.setPayload(file.pipe(HttpApiSchema.withEncoding({ kind: "UrlParams" }))),
    why: "its payload is application/x-www-form-urlencoded, and only application/json can be read"
  },
  "`setPayload`": {
    endpoint: get.setPayload(file),
    why: "x cannot be served: a GET has no payload: declare it with setUrlParams"
  },
  "`DateFromSelf`": {
    endpoint: get.addSuccess(Schema.Struct({ at: Schema.DateFromSelf })),
    why: 'the success 200 of x cannot be documented: Missing annotation, at path: ["at"]'
  },
  "`TaggedError`": {
    // Its status is that of an error of the transport.
    endpoint: get.addError(Gone),
    why: "an error of x with status 500 is not made with ErrorBody"
  },
  "`Error`": {
    endpoint: get.addSuccess(file.annotations({ identifier: "Error" })),
    why: "the identifier Error is that of error bodies: give the schema another one"
  }
}

/** A field that no text can be. */
const notText = (n: Schema.Schema.All | Schema.optional<typeof Schema.Number>) => ({
  schema: Schema.Struct({ n }) as never,
  why: "x cannot be served: n arrives as text: decode it, such as by NumberFromString or Int64Text"
})
const number = notText(Schema.Number)
const [optional, list, literal] = [
  notText(Schema.optional(Schema.Number)),
  notText(Schema.Array(Schema.Number)),
  notText(Schema.Literal(1))
]
const [pair, truth, integer, object, anyObject] = [
  notText(Schema.Tuple(Schema.Number, Schema.String)),
  notText(Schema.Boolean),
  notText(Int64),
  notText(Schema.Struct({ a: Schema.String })),
  notText(Schema.Object)
]

/** What would start and never work, and why. */
const unusable = {
  "a number in a query": { endpoint: get.setUrlParams(number.schema), why: number.why },
  "a number in a path": {
    endpoint: HttpApiEndpoint.get("x", "/x/:n").setPath(number.schema),
    why: number.why
  },
  "a number in a header": { endpoint: get.setHeaders(number.schema), why: number.why },
  "a number that may be left out": {
    endpoint: get.setUrlParams(optional.schema),
    why: optional.why
  },
  "a list of numbers": { endpoint: get.setUrlParams(list.schema), why: list.why },
  "a pair of a number and a text": { endpoint: get.setUrlParams(pair.schema), why: pair.why },
  "a truth value": { endpoint: get.setUrlParams(truth.schema), why: truth.why },
  "an integer": { endpoint: get.setUrlParams(integer.schema), why: integer.why },
  "an object": { endpoint: get.setUrlParams(object.schema), why: object.why },
  "any object": { endpoint: get.setUrlParams(anyObject.schema), why: anyObject.why },
  "a number as a literal": { endpoint: get.setUrlParams(literal.schema), why: literal.why },
  "a header in capitals": {
    endpoint: get.setHeaders(Schema.Struct({ "X-Team": Schema.String })),
    why: "x cannot be served: declare the header X-Team in lower case"
  },
  "a path whose parameter has another name": {
    endpoint: HttpApiEndpoint.get("x", "/x/:id").setPath(Schema.Struct({ name: Schema.String })),
    why: "x cannot be served: its path has [id], and setPath declares [name]"
  },
  "a path whose parameter is not declared": {
    endpoint: HttpApiEndpoint.get("x", "/x/:id"),
    why: "x cannot be served: its path has [id], and setPath declares []"
  },
  "two endpoints of one name": {
    endpoint: get,
    second: HttpApiEndpoint.get("x", "/y"),
    why: "there is no handler for x, or two endpoints have this name"
  },
  "two endpoints of one method and path": {
    endpoint: get,
    second: HttpApiEndpoint.get("y", "/x"),
    why: "two endpoints answer GET /v1/x"
  },
  "a path with two names": {
    endpoint: HttpApiEndpoint.get("x", "/x/:a").setPath(Schema.Struct({ a: Schema.String })),
    second: HttpApiEndpoint.del("y", "/x/:b").setPath(Schema.Struct({ b: Schema.String })),
    why: "/v1/x/:b and /v1/x/:a are the same path: name it alike"
  },
  "a path whose second parameter has two names": {
    endpoint: HttpApiEndpoint.get("x", "/x/:a/:b").setPath(
      Schema.Struct({ a: Schema.String, b: Schema.String })
    ),
    second: HttpApiEndpoint.del("y", "/x/:a/:c").setPath(
      Schema.Struct({ a: Schema.String, c: Schema.String })
    ),
    why: "/v1/x/:a/:c and /v1/x/:a/:b are the same path: name it alike"
  },
  "a scope of two words": {
    endpoint: get.annotate(RequiredScope, "a b"),
    why: 'x cannot be served: its scope "a b" must be one word'
  },
  "a scope with a quote": {
    endpoint: get.annotate(RequiredScope, 'a"b'),
    why: 'x cannot be served: its scope "a"b" must be one word'
  },
  "a status with two content types": {
    endpoint: get
      .addSuccess(HttpApiSchema.Text())
      .addSuccess(HttpApiSchema.Text({ contentType: "text/html" })),
    why: "x cannot be served: its successes with one status have several content types"
  }
}

describe("in JSON", () => {
  it.each(Object.entries(json))("%s is read and answered", async (_, { example, schema, text }) => {
    const { dispose, lines, send } = serve(
      post.setPayload(schema).addSuccess(schema).addError(ErrorBody.OfBody),
      ({ payload }) => {
        expect(payload).toEqual(example)
        return { body: payload }
      }
    )
    expect(await send("POST", text), JSON.stringify(lines)).toMatchObject({
      ...{ status: 200, type: "application/json", text }
    })
    await dispose()
  })
})

describe("besides JSON", () => {
  it.each(Object.entries({ ...others, ...encoded }))(
    "%s is answered",
    async (_, { answer, endpoint, sent }) => {
      const { dispose, lines, send } = serve(endpoint, () => answer)
      const { received, ...found } = await send("GET")
      expect(found, JSON.stringify(lines)).toEqual(sent)
      // Without a length, an empty answer would be sent in chunks.
      const length = sent.status === 204 ? null : String(Buffer.byteLength(sent.text))
      expect(received.get("content-length")).toBe(length)
      await dispose()
    }
  )
})

it("words follow what callers have", async () => {
  const credential = { name: "session token", word: "session", scheme: "session" }
  const handler = (given?: typeof credential) => {
    const authentication = Layer.succeed(Authentication, {
      authenticate: (token) =>
        token === "good"
          ? Effect.succeed({ digest: token, scopes: [] })
          : Effect.fail({ reason: token }),
      isReady: () => false,
      ...(given && { credential: given })
    })
    const endpoint = get.addSuccess(Schema.String).annotate(RequiredScope, "read")
    const x = { x: () => Effect.succeed({ body: "" }) }
    const rateLimit = { count: 9, window: Duration.minutes(1) }
    return Mounting.toWebHandler(
      {
        ...{ ...ApiServer.defaultsOf("/v1"), rateLimit },
        ...{ api: apiOf(endpoint), prefix: "/v1", realm: "shapes" },
        handlers: Effect.succeed(x as unknown as Handlers<HttpApiGroup.HttpApiGroup.Any>)
      },
      authentication
    )
  }
  const wordsOf = async (given?: typeof credential) => {
    const { dispose, handler: send } = handler(given)
    const texts = []
    for (const [path, token] of [
      ["/v1/x", ""],
      ["/v1/x", "bad"],
      ["/v1/x", "outdated"],
      ["/v1/x", "good"],
      ["/readyz", ""],
      ["/openapi.json", ""]
    ] as const) {
      const headers = { Authorization: `Bearer ${token}` }
      const response = await send(new Request(`http://localhost${path}`, { headers }))
      texts.push(`${response.headers.get("ratelimit-policy")} ${await response.text()}`)
    }
    await dispose()
    return texts
  }
  const expected = (name: string, article: string, word: string) => [
    expect.stringContaining(
      `${article} ${name} is required: send the header Authorization: Bearer <${word}>`
    ),
    expect.stringContaining(`"the ${name} is not valid"`),
    expect.stringContaining(`"the ${name}s cannot be read"`),
    expect.stringMatching(`"${word}";q=9;w=60 .*"the ${name} lacks the scope read"`),
    expect.stringContaining(`"the ${name}s cannot be read"`),
    expect.stringContaining(`Needs a ${word} with the scope`)
  ]
  const own = await wordsOf(credential)
  expect(own).toEqual(expected("session token", "a", "session"))
  const usual = await wordsOf()
  expect(usual).toEqual(expected("access token", "an", "token"))
  for (const text of [...own, ...usual]) expect(text).not.toMatch(/API key|apiKey/)
})

describe("an endpoint", () => {
  it("has the base path in each of its own paths, and in no other", async () => {
    const links = '</v1/a>; rel="next", </v1/b>; rel="last", </v10>; rel="up"'
    const answer = { body: "", headers: ["Location", "/v10/a", "Link", links] }
    const endpoint = get.addSuccess(Schema.String)
    const { dispose, send } = serve(endpoint, () => answer, undefined, "/shop/v1")
    const { received } = await send("GET")
    expect(received.get("location")).toBe("/v10/a")
    expect(received.get("link")).toBe(links.replaceAll("/v1/", "/shop/v1/"))
    await dispose()
  })

  it("that is deprecated has the links of its handler, too", async () => {
    const [next, successor] = ['</v1/x?cursor=a>; rel="next"', '</v1/y>; rel="successor-version"']
    const answer = { body: "", headers: ["Link", next] }
    const deprecation = { since: day, sunset: new Date("2999-01-01"), successor: "/y" }
    const endpoint = get.addSuccess(Schema.String).annotate(Deprecation, deprecation)
    const { dispose, send } = serve(endpoint, () => answer)
    expect((await send("GET")).received.get("link")?.split(", ").toSorted()).toEqual([
      next,
      successor
    ])
    await dispose()
  })

  it("has the scope and the end that all of its API have", async () => {
    const ends = { since: day, sunset: new Date("2999-01-01"), successor: "/y" }
    const endpoint = get.addSuccess(Schema.String)
    const answers = [Context.make(RequiredScope, "a"), Context.make(Deprecation, ends)].map(
      async (everywhere) => {
        const { dispose, send } = serve(
          endpoint,
          () => ({ body: "" }),
          undefined,
          "/v1",
          everywhere
        )
        const { received, status } = await send("GET")
        await dispose()
        return [status, received.has("sunset")]
      }
    )
    expect(await Promise.all(answers)).toEqual([
      [403, false],
      [200, true]
    ])
  })

  it("may take one text or several", async () => {
    const oneOrMore = Schema.Struct({
      tag: Schema.Union(Schema.String, Schema.Array(Schema.String))
    })
    const endpoint = get.setUrlParams(oneOrMore as never).addSuccess(Schema.String)
    const { dispose, send } = serve(endpoint, ({ urlParams }) => ({
      body: JSON.stringify(urlParams)
    }))
    const texts = ["?tag=a", "?tag=a&tag=b"].map(async (query) =>
      JSON.parse((await send("GET", undefined, query)).text)
    )
    expect((await Promise.all(texts)).map((text) => JSON.parse(text))).toEqual([
      { tag: "a" },
      { tag: ["a", "b"] }
    ])
    await dispose()
  })

  it("encodes a list that it answers again only once", async () => {
    let count = 0
    const Counted = Schema.transform(Schema.String, Schema.String, {
      decode: (text) => text,
      encode: (text) => `${text}${++count}`
    })
    const body = Object.freeze(["a"])
    const { dispose, send } = serve(get.addSuccess(Schema.Array(Counted)), () => ({ body }))
    expect((await send("GET")).text).toBe('["a1"]')
    expect((await send("GET")).text).toBe('["a1"]')
    await dispose()
  })

  it.each([
    ["authorization", 200],
    ["x-team", 400]
  ])("that needs the header %s answers %i to a request with others", async (name, status) => {
    const fields = { [name]: Schema.String, "x-size": Schema.optional(Schema.String) }
    const endpoint = get.setHeaders(Schema.Struct(fields) as never).addSuccess(Schema.String)
    const { dispose, send } = serve(endpoint, () => ({ body: "" }))
    expect((await send("GET")).status).toBe(status)
    await dispose()
  })

  it("may say which charset its text has", async () => {
    const type = "text/csv; charset=utf-8; header=present"
    const endpoint = get.addSuccess(HttpApiSchema.Text({ contentType: type }))
    const { dispose, send } = serve(endpoint, () => ({ body: "a" }))
    expect((await send("GET")).type).toBe(type)
    await dispose()
  })

  it("has a tag on the answers that may not have changed, those with status 200", async () => {
    const endpoint = get.addSuccess(Schema.String).addSuccess(Schema.Number, { status: 202 })
    for (const [answer, tag] of [
      [{ body: "a" }, expect.stringMatching(/^W\//)],
      [{ body: 1, status: 202 }, null]
    ] as const) {
      const { dispose, send } = serve(endpoint, () => answer)
      expect((await send("GET")).received.get("etag")).toEqual(tag)
      await dispose()
    }
  })

  it("answers 500 if its handler gives a status that is not declared", async () => {
    const answer = { status: 299, body: "a" }
    const { dispose, lines, send } = serve(get.addSuccess(Schema.String), () => answer)
    expect((await send("GET")).status).toBe(500)
    expect(JSON.stringify(lines)).toContain("x declares no status 299")
    await dispose()
  })

  it.each([
    ["a header that HTTP does not allow", { body: 1, headers: ["X-Name", "漢"] }],
    ["a number that JSON does not have", { body: Number.NaN }]
  ])("answers 500 if its handler gives %s", async (_, answer) => {
    const { dispose, send } = serve(get.addSuccess(Schema.Number), () => answer)
    expect((await send("GET")).status).toBe(500)
    await dispose()
  })

  it("refuses a number that is too large, and says where", async () => {
    const schema = Schema.Struct({ n: Schema.Number })
    const { dispose, send } = serve(
      post.setPayload(schema).addSuccess(schema).addError(ErrorBody.OfBody),
      ({ payload }) => ({ body: payload })
    )
    for (const n of ["1e400", "-1E400", "1".repeat(400)])
      expect(await send("POST", `{"n":${n}}`)).toMatchObject({
        status: 400,
        text: expect.stringContaining("n must be a number")
      })
    expect(await send("POST", '{"n":1e40,"unknown":1e400}')).toMatchObject({ text: '{"n":1e+40}' })
    await dispose()
  })

  it("refuses integers that a number cannot hold, and takes the others", async () => {
    const schema = Schema.Struct({ n: Schema.Number, id: Int64 })
    const { dispose, send } = serve(post.setPayload(schema).addSuccess(schema), ({ payload }) => ({
      body: payload
    }))
    const inexact = `{"n":${large},"id":${large}.5}`
    expect(await send("POST", inexact)).toMatchObject({
      status: 400,
      text: expect.stringContaining("n must be a number; id must be an integer")
    })
    for (const n of ["9007199254740991", "1.5", "0.1"]) {
      const text = `{"n":${n},"id":${large}}`
      expect(await send("POST", text)).toMatchObject({ status: 200, text })
    }
    await dispose()
  })

  it("that creates answers with a location that headers can have", async () => {
    const { dispose, send } = serve(post.setPayload(Schema.String).addSuccess(Schema.String), () =>
      created("/v1/x/漢😀 \ud800%20\n", "a")
    )
    const { received, status } = await send("POST", '"a"')
    const location = "/v1/x/%E6%BC%A2%F0%9F%98%80%20%EF%BF%BD%20%0A"
    expect([status, received.get("location")]).toEqual([200, location])
    await dispose()
  })

  const errors = ErrorBody.define({
    owner_not_found: { status: 404, meaning: "No such owner", example: "no such owner" },
    thing_not_found: { status: 404, meaning: "No such thing", example: "no such thing" }
  })
  const withId = HttpApiEndpoint.get("x", "/:id").setPath(Schema.Struct({ id: Schema.UUID }))
  const refusedWith = (code: string) => ({ code, message: "id must be a UUID", status: 404 })

  it.each([
    ["no error", withId, ["not_found"]],
    ["one", withId.addError(errors.schema("thing_not_found")), ["thing_not_found"]],
    [
      "several",
      withId.addError(errors.schema("owner_not_found", "thing_not_found")),
      ["owner_not_found", "thing_not_found", "not_found"]
    ]
  ])(
    "that has %s with status 404 answers an invalid path with the only one, or as where nothing is",
    async (_, endpoint, codes) => {
      const { dispose, send } = serve(endpoint)
      const { status, text } = await send("GET")
      expect([status, JSON.parse(text)]).toEqual([404, refusedWith(codes.at(-1) ?? "")])
      await dispose()
      const { paths } = OpenApiDocument.make({ api: apiOf(endpoint), prefix: "/v1", realm: "x" })
      const { examples } = JSON.parse(JSON.stringify(paths))["/{id}"].get.responses[404].content[
        "application/json"
      ]
      expect(Object.keys(examples)).toEqual(codes)
    }
  )
})

describe("an API does not start, and says why", () => {
  it.each(Object.entries({ ...refused, ...unusable }))("with %s", async (_, { why, ...api }) => {
    const second = "second" in api ? api.second : undefined
    const { dispose, lines, send } = serve(api.endpoint, undefined, second)
    expect(await send("GET")).toMatchObject({
      status: 503,
      text: expect.stringContaining("the service could not start")
    })
    expect(lines.filter(({ level }) => level !== "DEBUG")).toMatchObject([
      { level: "ERROR", message: "the API could not start", cause: expect.stringContaining(why) }
    ])
    await dispose()
  })
})
