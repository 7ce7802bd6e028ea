/** A client of a service of one's own. */
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import { PetId } from "@petstore/domain/Pet"
import type { Fetch, FetchInit } from "@petstore/http-client"
import { type ErrorOf, makeClient } from "@petstore/http-client/effect"
import {
  anyText,
  array,
  between,
  createClient,
  cursor,
  defineService,
  failure as failureOf,
  InvalidInput,
  idempotencyKeyOf,
  int64,
  isFailure,
  nextOf,
  nullable,
  number,
  oneOf,
  optional,
  petStore,
  searchOf,
  struct,
  text,
  textIds,
  UnknownError
} from "@petstore/http-client/service"
import { Chunk, Effect, Redacted, Schema, Stream } from "effect"
import { collect, failure } from "./support/Forms.ts"

const book = struct({ isbn: int64, title: text, pages: optional(between(1, 9999)) })
const query = struct({ author: optional(text), limit: optional(between(1, 100)), after: cursor })

class OnLoan extends failureOf("on_loan") {}

const library = defineService({
  name: "a library",
  prefix: "/api/2",
  operations: {
    books: {
      add: (added: ReturnType<typeof book>, options: { readonly idempotencyKey?: string }) => ({
        name: "addBook",
        path: "/books",
        method: "POST",
        body: book("the book", added),
        idempotencyKey: idempotencyKeyOf(options),
        decode: (body) => book("the answer", body)
      }),
      lend: (isbn: bigint) => ({
        name: "lendBook",
        path: `/books/${int64("isbn", isbn)}/loans`,
        method: "POST",
        body: {},
        errors: ["on_loan"],
        decode: (body) => struct({ due: text })("the answer", body)
      }),
      remove: (isbn: bigint) => ({
        name: "removeBook",
        path: `/books/${int64("isbn", isbn)}`,
        method: "DELETE",
        decode: () => {}
      }),
      list: {
        page: (asked: ReturnType<typeof query>) => ({
          name: "listBooks",
          path: `/books?${searchOf(query("the query", asked))}`,
          decode: (body, headers) => ({
            books: array(book)("the answer", body),
            next: nextOf(headers)
          })
        }),
        items: "books"
      }
    }
  }
})

const options = { baseUrl: "http://books.test", apiKey: "token" }

/** A `fetch` that gives these answers, and notes the requests. */
const answering = (...answers: ReadonlyArray<() => Response>) => {
  const seen: Array<FetchInit & { readonly url: string }> = []
  const fetch: Fetch = async (url, init) => {
    seen.push({ ...init, url })
    const answer = answers[seen.length - 1]
    if (!answer) throw new Error("no network")
    return answer()
  }
  return { fetch, seen, urls: () => seen.map(({ method, url }) => `${method} ${url}`) }
}
const unavailable = () => Response.json({ code: "unavailable", message: "busy" }, { status: 503 })
const emma = '{"isbn":8780141439587000001,"title":"Emma","pages":512}'
const page = (body: string, link = "") => new Response(body, { headers: { link } })

describe("a client of a service of one's own", () => {
  it("calls it at its prefix, with exact integers in both directions", async () => {
    const { fetch, seen, urls } = answering(() => new Response(emma))
    const { books } = createClient(library, { ...options, fetch })
    const added = { isbn: 8780141439587000001n, title: "Emma", pages: 512 }
    expect(await books.add(added, { idempotencyKey: "a" })).toEqual(added)
    expect(urls()).toEqual(["POST http://books.test/api/2/books"])
    expect(seen[0]?.body).toBe(emma)
    const sent = Object.fromEntries(seen[0]?.headers ?? [])
    expect(sent).toMatchObject({
      authorization: "Bearer token",
      "content-type": "application/json",
      "idempotency-key": '"a"'
    })
  })

  it("gives decoders numbers wherever a number is exact, whatever else is in the answer", async () => {
    const body = '{"small":7,"safe":1700000000000000,"large":9007199254740993,"half":0.5}'
    const { fetch } = answering(() => new Response(body))
    const { request } = createClient(library, { ...options, fetch })
    const answer = await request({ name: "any", path: "/any", decode: (body) => body })
    const large = 9007199254740993n
    expect(answer).toEqual({ small: 7, safe: 1700000000000000, large, half: 0.5 })
    const schema = Schema.Struct({ small: Schema.Int, large: PetId, half: Schema.Number })
    const again = createClient(library, {
      ...options,
      fetch: answering(() => new Response(body)).fetch
    })
    const decode = Schema.decodeUnknownSync(schema)
    const decoded = await again.request({
      name: "any",
      path: "/any",
      decode: (body) => decode(body)
    })
    expectTypeOf(decoded.large).toExtend<bigint>()
    expect(decoded).toEqual({ small: 7, large, half: 0.5 })
  })

  it("repeats what may be repeated, and a POST only with an idempotency key", async () => {
    const twice = answering(unavailable, () => new Response(emma))
    const { books } = createClient(library, { ...options, fetch: twice.fetch })
    await books.add({ isbn: 1n, title: "Emma" })
    const [first, second] = twice.seen.map(({ headers }) => headers.get("idempotency-key"))
    expect(first).toMatch(/^"[\d-]+"$/)
    expect(second).toBe(first)

    const again = answering(unavailable, () => new Response(null, { status: 204 }))
    await createClient(library, { ...options, fetch: again.fetch }).books.remove(1n)
    expect(again.urls()).toEqual(Array(2).fill("DELETE http://books.test/api/2/books/1"))

    const once = answering(unavailable, () => new Response(emma))
    const lending = createClient(library, { ...options, fetch: once.fetch }).books.lend(1n)
    expect(await failure(lending)).toMatchObject({ code: "unavailable" })
    expect(once.seen).toHaveLength(1)

    // An empty one is not sent.
    const empty = answering(unavailable, () => new Response(emma))
    const { request } = createClient(library, { ...options, fetch: empty.fetch })
    const add = { name: "add", path: "/books", method: "POST", idempotencyKey: "" } as const
    const adding = request({ ...add, decode: () => {} })
    expect(await failure(adding)).toMatchObject({ code: "unavailable" })
    expect(empty.seen).toHaveLength(1)
  })

  it.each([
    ["PUT", true],
    ["PATCH", false],
    ["POST", false]
  ] as const)("repeats a %s without an idempotency key: %s", async (method, isRepeated) => {
    // After an answer, and after none.
    for (const answers of [[unavailable], []]) {
      const { fetch } = answering(...answers)
      const retried = new Error("tried again")
      const onRetry = () => Promise.reject(retried)
      const { request } = createClient(library, { ...options, fetch, onRetry })
      const error = await failure(request({ name: "any", path: "/any", method, decode: () => {} }))
      expect(error === retried).toBe(isRepeated)
    }
  })

  it("fails with its errors, which have a class if it has one for them", async () => {
    const refuse = (code: string) => () =>
      Response.json({ code, message: "no" }, { status: 409, headers: { "X-Request-Id": "r" } })
    const { fetch } = answering(refuse("on_loan"), refuse("lost"), refuse("on_loan"))
    const { books } = createClient(library, { ...options, fetch })
    const onLoan = await failure(books.lend(1n))
    expect(onLoan).toBeInstanceOf(OnLoan)
    expect(onLoan).toEqual(
      new OnLoan("no", { status: 409, requestId: "r", headers: expect.anything() })
    )
    const lost = await failure(books.lend(1n))
    expect(lost).toBeInstanceOf(UnknownError)
    expect(lost).toMatchObject({ message: "lost: no" })
    // Not an error of this operation.
    expect(await failure(books.remove(1n))).toBeInstanceOf(UnknownError)
  })

  it("has errors whose codes are compared with those of one's own", async () => {
    const refused = () => Response.json({ code: "on_loan", message: "no" }, { status: 409 })
    const { books } = createClient(library, { ...options, fetch: answering(refused).fetch })
    const error: unknown = await failure(books.lend(1n))
    expect(isFailure(error) && error.code === "on_loan" && error.status).toBe(409)
    expect(isFailure(new Error("on_loan"))).toBe(false)
  })

  it.effect("makes an InvalidInput of what its operations throw", () =>
    Effect.gen(function* () {
      const encode = Schema.encodeSync(Schema.Struct({ pages: Schema.Positive }))
      const checking = defineService({
        ...library,
        operations: {
          books: {
            add: (pages: number) => ({
              name: "addBook",
              path: "/books",
              body: encode({ pages }),
              decode: () => {}
            }),
            list: {
              page: ({ pages }: { readonly pages?: number }) => ({
                name: "listBooks",
                path: `/books?${searchOf(encode({ pages: pages ?? 1 }))}`,
                decode: () => ({ books: [], next: undefined })
              }),
              items: "books"
            },
            get: (isbn: bigint) => ({
              name: "getBook",
              path: `/books/${int64("isbn", isbn)}`,
              decode: () => {}
            })
          }
        }
      })
      const { books } = createClient(checking, options)
      const rejected = yield* Effect.promise(() => failure(books.add(-1)))
      expect(rejected).toBeInstanceOf(InvalidInput)
      expect(rejected).toMatchObject({
        message: expect.stringContaining("Expected a positive number, actual -1"),
        cause: { _tag: "ParseError" }
      })
      const listed = yield* Effect.promise(() => failure(books.list({ pages: -1 }).then()))
      expect(listed).toEqual(rejected)
      // What the checks of the client throw stays as it is.
      const unchanged = new InvalidInput("isbn must be an exact 64-bit integer")
      const tooLarge = yield* Effect.promise(() => failure(books.get(2n ** 64n)))
      expect(tooLarge).toStrictEqual(unchanged)
      expect(tooLarge).not.toHaveProperty("cause")

      const apiKey = Redacted.make("token")
      const effects = yield* makeClient("Library", checking, { ...options, apiKey })
      expect(yield* Effect.flip(effects.books.add(-1))).toEqual(rejected)
      expect(yield* Effect.flip(effects.books.list({ pages: -1 }))).toEqual(rejected)
    })
  )

  it("gives decoders an empty text for an answer without a body", async () => {
    const { fetch } = answering(() => new Response(null, { status: 204 }))
    const { request } = createClient(library, { ...options, fetch })
    const operation = { name: "any", path: "/any", method: "DELETE" } as const
    expect(await request({ ...operation, decode: (body) => body })).toBe("")
  })

  it("names the service in messages", async () => {
    const { fetch } = answering(() => new Response("{}"))
    const { books } = createClient(library, { ...options, fetch })
    expect(await failure(books.lend(1n))).toHaveProperty(
      "message",
      "http://books.test/api/2 did not answer as a library: due must be non-empty text without U+0000 or lone surrogates"
    )
    expect(() => createClient(library, { ...options, baseUrl: "books" })).toThrow(
      "baseUrl must be a URL such as https://example.org/api/2"
    )
  })

  it("iterates its lists, and asks for the next page from a page", async () => {
    const answers = [
      () => page(`[${emma}]`, '</api/2/books?limit=1&cursor=a>; rel="next"'),
      () => page('[{"isbn":2,"title":"Persuasion"}]')
    ]
    const walk = answering(...answers)
    const { books } = createClient(library, { ...options, fetch: walk.fetch })
    const titles = (await collect(books.list({ limit: 1 }))).map(({ title }) => title)
    expect(titles).toEqual(["Emma", "Persuasion"])
    const urls = [
      "GET http://books.test/api/2/books?limit=1",
      "GET http://books.test/api/2/books?limit=1&cursor=a"
    ]
    expect(walk.urls()).toEqual(urls)

    const steps = answering(...answers)
    const other = createClient(library, { ...options, fetch: steps.fetch }).books
    const first = await other.list({ limit: 1 })
    const next = await first.nextPage()
    expect(next).toEqual({ books: [{ isbn: 2n, title: "Persuasion" }], next: undefined })
    expect(next?.nextPage()).toBeUndefined()
    expect(steps.urls()).toEqual(urls)
    // A page is what it contains.
    expect(structuredClone(first)).toStrictEqual(first)
  })

  it("has queries and links in any of their forms", () => {
    const query = { author: undefined, after: "a b", page: 0, isLent: false }
    expect(String(searchOf(query))).toBe("cursor=a+b&page=0&isLent=false")
    const link = '</books?cursor=1>; rel="prev", </books?limit=1&cursor=a%2Bb>;rel=next'
    expect(nextOf(new Headers({ link }))).toBe("a+b")
  })

  it("may have results without a bigint", async () => {
    const { fetch } = answering(
      () => page(`[${emma}]`, '</books?cursor=a>; rel="next"'),
      () => page(`[${emma}]`),
      () => new Response(emma)
    )
    const { books } = createClient(textIds(library), { ...options, fetch })
    const first = await books.list()
    expectTypeOf(first.books[0]?.isbn).toEqualTypeOf<string | undefined>()
    const one = { isbn: "8780141439587000001", title: "Emma", pages: 512 }
    expect(first).toEqual({ books: [one], next: "a" })
    expect(await first.nextPage()).toEqual({ books: [one] })
    const added = await books.add({ isbn: 1n, title: "Emma" })
    expectTypeOf(added).toExtend<{ isbn: string; title: string; pages?: number }>()
    expect(JSON.stringify(added)).toBe(JSON.stringify(one))
  })

  it("has dates and null unchanged beside texts instead of a bigint", async () => {
    const lent = new Date(0)
    const get = () => ({
      name: "getLoan",
      path: "/loans/1",
      decode: () => ({ id: 1n, lent, by: null, copies: [2n, 3n] })
    })
    const service = textIds({ ...library, operations: { loans: { get } } })
    const { fetch } = answering(() => new Response("{}"))
    const { loans } = createClient(service, { ...options, fetch })
    expect(await loans.get(undefined)).toEqual({ id: "1", lent, by: null, copies: ["2", "3"] })
  })

  it("may call pets, too", async () => {
    const { fetch } = answering(() => new Response('{"id":1,"name":"Rex","categoryId":2}'))
    const operations = { ...petStore.operations, ...library.operations }
    const { books, pets } = createClient({ ...library, operations }, { ...options, fetch })
    expectTypeOf<typeof books.list>().toBeFunction()
    expect(await pets.get(1)).toEqual({ id: 1n, name: "Rex", categoryId: 2n })
  })

  it.effect("has a form with Effect, typed by its errors", () =>
    Effect.gen(function* () {
      const { fetch, urls } = answering(
        () => page(`[${emma}]`, '</books?cursor=a>; rel="next"'),
        () => page(`[${emma}]`),
        () => page(`[${emma}]`, '</books?cursor=a>; rel="next"'),
        () => page("[]"),
        () => Response.json({ code: "on_loan", message: "no" }, { status: 409 })
      )
      const apiKey = Redacted.make("token")
      const { books } = yield* makeClient("Library", library, { ...options, apiKey, fetch })
      const all = yield* Stream.runCollect(books.list.stream())
      expect(Chunk.map(all, ({ title }) => title).pipe(Chunk.toArray)).toEqual(["Emma", "Emma"])
      const first = yield* books.list({ limit: 1 })
      expect(yield* first.nextPage() ?? Effect.succeed(undefined)).toMatchObject({ books: [] })
      const due = yield* Effect.catchTag(books.lend(1n), "OnLoan", () => Effect.succeed("later"))
      expect(due).toBe("later")
      expect(urls()).toHaveLength(5)
      type Codes = ErrorOf<ReturnType<typeof library.operations.books.lend>>["code"]
      expectTypeOf<Extract<Codes, "on_loan" | "pet_not_found">>().toEqualTypeOf<"on_loan">()
    })
  )
})

describe("a check", () => {
  it.each([
    ["a number", number, [0, -1.5, 1e300], ["1", null, Number.NaN, Number.POSITIVE_INFINITY]],
    ["an integer from 1 to 3", between(1, 3), [1, 3], [0, 4, 1.5, 2n, "2"]],
    ["null or a number", nullable(number), [null, 0], [undefined, "1"]],
    ["any text", anyText, ["", "\n", "\0"], [null, 1]],
    ["a boolean", oneOf([true, false]), [true, false], [null, "true", 0]]
  ])("accepts %s, and nothing else", (_, check, valid, invalid) => {
    for (const value of valid) expect(check("it", value)).toBe(value)
    for (const value of invalid) expect(() => check("it", value)).toThrow(/^it must be /)
  })

  it("of a number accepts integers that answers have as a bigint", () => {
    expect(number("it", 9007199254740993n)).toBe(9007199254740992)
    expectTypeOf(nullable(number)).returns.toEqualTypeOf<number | null>()
    expectTypeOf(oneOf([true, false])).returns.toEqualTypeOf<boolean>()
  })
})
