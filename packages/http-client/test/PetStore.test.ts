import { describe, expect, it } from "@effect/vitest"
import {
  createPetStore,
  type Fetch,
  type FetchInit,
  InvalidInput,
  isPetStoreError,
  type NewPet,
  type Options,
  PetNotFound
} from "@petstore/http-client"
import {
  answer,
  collect,
  cut,
  cutChunks,
  failure,
  hangUp,
  keys,
  open,
  refuse,
  startProxy
} from "./support/Clients.ts"

const pet = { name: "Rex", categoryId: 1 }

type Call = () => PromiseLike<unknown>

describe("the client, of a service", () => {
  const start = async () => ({ baseUrl: (await startProxy()).url })

  it("adds, gets and lists pets", async () => {
    const pets = open(await start())
    const rex = { id: 1n, name: "Rex", categoryId: 1n, status: "available" }
    const tom = { id: 2n, name: "Tom", categoryId: 2n }
    expect(await pets.add({ name: "Rex", categoryId: 1, status: "available" })).toEqual(rex)
    expect(await pets.add({ name: "Tom", categoryId: 2n })).toEqual(tom)
    expect(await pets.get(1)).toEqual(rex)
    expect(await pets.get(2n)).toStrictEqual(tom)
    expect(await pets.list()).toStrictEqual({ pets: [rex, tom], next: undefined })
    expect(await pets.list({ status: "sold" })).toEqual({ pets: [], next: undefined })
  })

  it("keeps integers exact and texts unchanged in both directions", async () => {
    const pets = open(await start())
    const categories = [
      ...[0n, -1n, 9007199254740991n, 9007199254740993n, -9007199254740993n],
      ...[9223372036854775807n, -9223372036854775808n]
    ]
    const names = [
      ...["12345678901234567890", '"id":9007199254740993,', '\\"1234567890123456\\', "n1", "s1"],
      ...["\u2028\t\n", "犬 \u{1F415}", "1234567890123456: [1]"]
    ]
    const expected = categories.flatMap((categoryId) => names.map((name) => ({ name, categoryId })))
    for (const pet of expected) expect(await pets.add(pet)).toMatchObject(pet)
    const all = await collect(pets.list({ limit: 50 }))
    expect(all.map(({ categoryId, name }) => ({ name, categoryId }))).toEqual(expected)
  })

  it("follows pages to the end, from any page", async () => {
    const pets = open(await start())
    for (let n = 1; n <= 7; n++)
      await pets.add({ name: `pet ${n}`, categoryId: n, status: n % 2 ? "sold" : "pending" })
    const ids = async (query: Parameters<typeof pets.list>[0]) => {
      const all = pets.list(query)
      const found = await collect(all)
      // A walk can be repeated.
      expect(await collect(all)).toEqual(found)
      return found.map(({ id }) => Number(id))
    }
    expect(await ids({ limit: 3 })).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(await ids({ limit: 2, status: "sold" })).toEqual([1, 3, 5, 7])
    const page = await pets.list({ limit: 2 })
    expect(page.pets.map(({ id }) => id)).toEqual([1n, 2n])
    expect(await ids({ limit: 2, after: page.next })).toEqual([3, 4, 5, 6, 7])
    const pages = await collect(pets.list({ limit: 3 }).pages())
    expect(pages.map(({ pets }) => pets.length)).toEqual([3, 3, 1])
  })

  it("stops asking for pages when the caller stops reading", async () => {
    const proxy = await startProxy()
    const pets = open({ baseUrl: proxy.url })
    for (let n = 1; n <= 5; n++) await pets.add({ name: "a", categoryId: n })
    const before = proxy.requests.length
    for await (const pet of pets.list({ limit: 1 })) if (pet.id === 2n) break
    expect(proxy.requests.length - before).toBe(2)
  })

  it("fails with the error of the service's code", async () => {
    const { url: baseUrl } = await startProxy()
    const pets = open({ baseUrl })
    const cases: ReadonlyArray<readonly [Call, string, string, number]> = [
      [() => pets.get(404), "PetNotFound", "pet_not_found", 404],
      [() => pets.list({ after: "damaged" }), "InvalidParameter", "invalid_parameter", 400],
      [
        () => pets.add({ ...pet, name: "a".repeat(70_000) }),
        "PayloadTooLarge",
        "payload_too_large",
        413
      ],
      [() => open({ baseUrl, apiKey: "other" }).list(), "Unauthorized", "unauthorized", 401],
      [() => open({ baseUrl, apiKey: keys.read }).add(pet), "Forbidden", "forbidden", 403],
      [() => open({ baseUrl: `${baseUrl}/shop` }).list(), "NotFound", "not_found", 404]
    ]
    for (const [call, tag, code, status] of cases) {
      const error = await failure(call())
      expect(isPetStoreError(error)).toBe(true)
      expect(error).toMatchObject({ _tag: tag, name: tag, code, status })
      const { headers, requestId } = Object(error)
      expect(requestId).toMatch(/^[\w.-]+$/)
      expect(headers.get("X-Request-Id")).toBe(requestId)
    }
    const error = await failure(pets.get(404))
    expect(error).toBeInstanceOf(PetNotFound)
    expect(error).toHaveProperty("message", "there is no pet 404")
  })

  it("calls a service behind a path prefix, with or without the version", async () => {
    const proxy = await startProxy([], { baseUrl: "http://pets.test/my/shop" })
    for (const prefix of ["/my/shop", "/my/shop/", "/my/shop/v1", "/my/shop/v1/"]) {
      const pets = open({ baseUrl: proxy.url + prefix })
      await pets.add({ name: prefix, categoryId: 1 })
    }
    const pets = open({ baseUrl: `${proxy.url}/my/shop` })
    expect(await collect(pets.list({ limit: 1 }))).toHaveLength(4)
    expect(proxy.requests.every(({ url }) => url?.startsWith("/my/shop/v1/pets"))).toBe(true)
  })
})

describe("the client", () => {
  it("refuses invalid inputs before it sends anything", async () => {
    const proxy = await startProxy()
    const pets = open({ baseUrl: proxy.url })
    const create = (wrong: object) => pets.add({ ...pet, ...wrong } as NewPet)
    const exact = "must be an exact 64-bit integer"
    const text = "name must be non-empty text without U+0000 or lone surrogates"
    const cases: ReadonlyArray<readonly [Call, string]> = [
      [() => create({ name: "" }), text],
      [() => create({ name: 1 }), text],
      [() => create({ name: "\ud800" }), text],
      [() => create({ name: "a\0" }), text],
      [() => create({ categoryId: 1.5 }), `categoryId ${exact}`],
      [() => create({ categoryId: "1" }), `categoryId ${exact}`],
      [() => create({ categoryId: 2 ** 53 }), `categoryId ${exact}`],
      [() => create({ categoryId: 2n ** 63n }), `categoryId ${exact}`],
      [() => create({ status: "gone" }), "status must be one of available, pending, sold"],
      [() => pets.add(null as unknown as NewPet), "the pet must be an object"],
      [() => pets.get(-(2n ** 63n) - 1n), `id ${exact}`],
      [() => pets.get(Number.NaN), `id ${exact}`],
      [() => pets.list({ limit: 0 }), "limit must be an integer from 1 to 100"],
      [() => pets.list({ limit: 101 }), "limit must be an integer from 1 to 100"],
      [() => pets.list({ after: "" }), "after must be a cursor"],
      ...["", "a b", 'a"', "a\\", "é", "a".repeat(256)].map(
        (idempotencyKey) =>
          [
            () => pets.add(pet, { idempotencyKey }),
            'idempotencyKey must be 1 to 255 visible ASCII characters without " and \\'
          ] as const
      ),
      [() => pets.list({}, { timeout: 0 }), "timeout must be an integer from 1 to 2147483647"],
      [
        () => pets.list({}, { maxAnswerBytes: 0 }),
        "maxAnswerBytes must be an integer from 1 to 2147483647"
      ],
      [() => pets.list({}, { retries: -1 }), "retries must be an integer from 0 to 100"]
    ]
    for (const [call, message] of cases) {
      const error = await failure(call())
      expect(error).toBeInstanceOf(InvalidInput)
      expect(error).toMatchObject({ code: "invalid_input", message })
      expect(error).not.toHaveProperty("status")
    }
    expect(await failure(pets.list({}, { headers: { "a b": "c" } }))).toMatchObject({
      code: "invalid_input",
      message: expect.stringMatching(/^headers must be valid: /)
    })
    expect(proxy.requests).toEqual([])
  })

  it.each(["a", "ab", "abc"])(
    "ends a walk over all pets if its pages lead in a circle: %s",
    async (circle) => {
      const cursors: Array<string | null> = []
      const teams: Array<string | null> = []
      const pets = open({
        fetch: async (url, { headers }) => {
          teams.push(headers.get("x-team"))
          const next = circle[cursors.length % circle.length]
          cursors.push(new URL(url).searchParams.get("cursor"))
          if (cursors.length > 9) throw new Error("an endless walk")
          return Response.json([], { headers: { link: `</v1/pets?cursor=${next}>; rel="next"` } })
        }
      })
      const all = pets.list({}, { headers: { "X-Team": "a" } })
      expect(await failure(collect(all))).toMatchObject({
        code: "invalid_answer",
        message: "the next page is an earlier one"
      })
      expect(cursors).toEqual([null, ...circle])
      expect(teams).toEqual(cursors.map(() => "a"))
    }
  )

  it("passes on a status that it does not know, but not one that is no text", async () => {
    const answering = (status: unknown) =>
      open({ fetch: async () => Response.json([{ id: 1, name: "a", categoryId: 1, status }]) })
    expect(await answering("adopted").list()).toMatchObject({ pets: [{ status: "adopted" }] })
    expect(await answering('"').list()).toMatchObject({ pets: [{ status: '"' }] })
    for (const status of [1, null, ""])
      expect(await failure(answering(status).list())).toMatchObject({ code: "invalid_answer" })
  })
})

/** A `fetch` that gives these answers, and notes the requests. */
const answering = (...answers: ReadonlyArray<() => Response>) => {
  const seen: Array<FetchInit & { readonly url: string }> = []
  const fetch: Fetch = async (url, init) => {
    seen.push({ ...init, url })
    const answer = answers[seen.length - 1]
    if (!answer) throw new Error("no network")
    return answer()
  }
  const client = createPetStore({ baseUrl: "http://pets.test", apiKey: "key", fetch })
  return { ...client, seen, urls: () => seen.map(({ url }) => url) }
}
const unavailable = () => Response.json({ code: "unavailable", message: "busy" }, { status: 503 })
const any = { name: "any", path: "/any", decode: (body: unknown) => body }

describe("a request", () => {
  it("has numbers wherever a number is exact, whatever else is in the answer", async () => {
    const body = '{"small":7,"safe":1700000000000000,"large":9007199254740993,"half":0.5}'
    const { request } = answering(() => new Response(body))
    const large = 9007199254740993n
    expect(await request(any)).toEqual({ small: 7, safe: 1700000000000000, large, half: 0.5 })
  })

  it.each([
    ["PUT", true],
    ["DELETE", true],
    ["PATCH", false],
    ["POST", false]
  ] as const)("by %s is repeated without an idempotency key: %s", async (method, isRepeated) => {
    // After an answer, and after none.
    for (const answers of [[unavailable], []]) {
      const { withOptions } = answering(...answers)
      const retried = new Error("tried again")
      const { request } = withOptions({ onRetry: () => Promise.reject(retried) })
      const error = await failure(request({ ...any, method }))
      expect(error === retried).toBe(isRepeated)
    }
  })

  it("by POST is repeated with an idempotency key, unless that is empty", async () => {
    for (const [idempotencyKey, sent] of [
      ["a", ['"a"', '"a"']],
      ["", [null]]
    ] as const) {
      const { request, seen } = answering(unavailable, () => new Response("{}"))
      await failure(
        request({ ...any, method: "POST", idempotencyKey }).then(() => Promise.reject())
      )
      expect(seen.map(({ headers }) => headers.get("idempotency-key"))).toEqual(sent)
    }
  })

  it("has an empty text for an answer without a body", async () => {
    const { request } = answering(() => new Response(null, { status: 204 }))
    expect(await request({ ...any, method: "DELETE" })).toBe("")
  })
})

describe("a list", () => {
  const pageOf = (id: number, link: string) => () =>
    Response.json([{ id, name: "a", categoryId: 1 }], { headers: { link } })
  const last = pageOf(2, '</v1/pets?limit=1&cursor=b>; rel="current"')

  it.each([
    '</v1/pets?limit=1&cursor=a%2Bb>; rel="next"',
    '</v1/pets?cursor=1>; rel="prev", </pets?limit=1&cursor=a%2Bb>;rel=next'
  ])("goes on from page to page by the link %s", async (link) => {
    const urls = [
      "http://pets.test/v1/pets?limit=1",
      "http://pets.test/v1/pets?limit=1&cursor=a%2Bb"
    ]
    const walk = answering(pageOf(1, link), last)
    const ids = (await collect(walk.pets.list({ limit: 1 }))).map(({ id }) => id)
    expect([ids, walk.urls()]).toEqual([[1n, 2n], urls])
  })
})

const keyOf = ({ headers }: { readonly headers: Readonly<Record<string, unknown>> }) =>
  headers["idempotency-key"]

describe("an addition", () => {
  it("has a key: a random one, or the caller's", async () => {
    const proxy = await startProxy()
    const pets = open({ baseUrl: proxy.url })
    await pets.add(pet)
    await pets.add(pet)
    const idempotencyKey = "!#[]~".repeat(51)
    await pets.add(pet, { idempotencyKey })
    await pets.list()
    const [first, second, third, list] = proxy.requests.map(keyOf)
    expect(first).toMatch(/^"\d{1,10}(?:-\d{1,10}){3}"$/)
    expect(second).not.toBe(first)
    expect(third).toBe(`"${idempotencyKey}"`)
    expect(list).toBeUndefined()
  })

  it("is tried again with the same key, and makes no duplicate, though its answers get lost", async () => {
    const faults = [cut, refuse(503, "unavailable"), hangUp, cutChunks, refuse(429, "rate_limited")]
    const proxy = await startProxy(faults)
    const pets = open({ baseUrl: proxy.url, retries: 5 })
    const added = await pets.add(pet)
    expect(proxy.requests).toHaveLength(6)
    expect(new Set(proxy.requests.map(keyOf)).size).toBe(1)
    expect(await collect(pets.list())).toEqual([added])
  })

  it("is not tried again if its 201 is invalid", async () => {
    const proxy = await startProxy([answer(201, '{"id":1,"na')])
    const pets = open({ baseUrl: proxy.url })
    expect(await failure(pets.add(pet))).toMatchObject({ code: "invalid_answer", status: 201 })
    expect(proxy.requests).toHaveLength(1)
  })

  it("can be repeated by the caller, with the same key", async () => {
    const proxy = await startProxy([cut])
    const pets = open({ baseUrl: proxy.url, retries: 0 })
    const idempotencyKey = "order-17/b"
    expect(await failure(pets.add(pet, { idempotencyKey }))).toMatchObject({
      code: "network_failure"
    })
    const added = await pets.add(pet, { idempotencyKey })
    expect(await pets.add({ ...pet, categoryId: 1n }, { idempotencyKey })).toEqual(added)
    expect(await collect(pets.list())).toEqual([added])
  })
})

describe("a result with its response", () => {
  it("has the request id, the headers, and whether the answer was replayed", async () => {
    const { url: baseUrl } = await startProxy()
    const { pets } = createPetStore({ baseUrl, apiKey: keys.all })
    const headers = { "X-Request-Id": "first" }
    const options = { idempotencyKey: "a", headers }
    const added = await pets.add(pet, options).withResponse()
    expect(added).toMatchObject({ data: { id: 1n }, requestId: "first", replayed: false })
    expect(added.response.status).toBe(201)
    expect(added.response.headers.get("location")).toBe("/v1/pets/1")
    const again = await pets.add(pet, options).withResponse()
    expect(again).toMatchObject({ data: added.data, replayed: true })
    const listed = pets.list({ limit: 1 })
    expect(await listed.withResponse()).toMatchObject({
      data: { pets: [{ id: 1n }] },
      requestId: expect.stringMatching(/./)
    })
    expect((await listed.withResponse()).data).toBe(await listed)
  })
})

describe("createPetStore", () => {
  it("asks for a list when it is awaited or iterated, for its first page once", async () => {
    const urls: Array<string> = []
    const fetch = async (url: string) => {
      urls.push(url)
      return Response.json([])
    }
    const { pets } = createPetStore({ baseUrl: "http://pets.test", apiKey: "key", fetch })
    const list = pets.list({ limit: 7 })
    expect(list).toBeInstanceOf(Promise)
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
    expect(urls).toEqual([])
    const page = { pets: [], next: undefined }
    expect(
      await Promise.all([list, list, list.then((first) => first), list.catch(() => 0)])
    ).toEqual(Array(4).fill(page))
    let ended = 0
    expect(await list.finally(() => void ended++)).toEqual(page)
    expect(ended).toBe(1)
    expect(await collect(list.pages())).toEqual([page])
    expect(urls).toEqual(["http://pets.test/v1/pets?limit=7"])
  })

  it("does not end the process if a list that would fail is not read, and fails once if it is", async () => {
    const unhandled: Array<unknown> = []
    const note = (error: unknown) => void unhandled.push(error)
    process.on("unhandledRejection", note)
    const fetch = () => Promise.reject(new Error("no network"))
    const pets = open({ fetch, retries: 0 })
    const lists = [pets.list(), pets.list(), pets.list()] as const
    pets.list({ limit: 0 })
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
    const [first, second, third] = lists
    const calls = [pets.add(pet), pets.list()].map((call) => () => call.withResponse())
    for (const read of [() => first, () => collect(second), () => collect(third.pages()), ...calls])
      expect(await failure(read())).toMatchObject({ code: "network_failure" })
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
    process.off("unhandledRejection", note)
    expect(unhandled).toEqual([])
  })

  it("refuses invalid options, without repeating the key", () => {
    const valid = { baseUrl: "https://pets.example.org", apiKey: "key" }
    const url = "baseUrl must be a URL such as https://example.org/v1"
    for (const [wrong, message] of [
      [{ baseUrl: "pets.example.org" }, url],
      [{ baseUrl: "ftp://pets.example.org" }, url],
      [{ baseUrl: "https://me:secret@pets.example.org" }, url],
      [{ baseUrl: "https://pets.example.org?a" }, url],
      [{ baseUrl: "https://pets.example.org#a" }, url],
      [{ baseUrl: "https://pets.example.org/a b" }, url],
      [{ baseUrl: "https:///pets.example.org" }, url],
      [{ baseUrl: "https://[" }, url],
      [{ apiKey: "" }, "apiKey must be non-empty text without spaces"],
      [{ apiKey: "a secret" }, "apiKey must be non-empty text without spaces"],
      [{ apiKey: "a\r\nb: c" }, "apiKey must be non-empty text without spaces"],
      [{ apiKey: "schlüssel" }, "apiKey must be non-empty text without spaces"],
      [{ timeout: 1.5 }, "timeout must be an integer from 1 to 2147483647"]
    ] as const) {
      expect(() => createPetStore({ ...valid, ...wrong })).toThrow(new InvalidInput(message))
    }
    const none = undefined as unknown as Options
    expect(() => createPetStore(none)).toThrow(new InvalidInput(url))
  })

  it("adds the version to the path, unless it ends with it", async () => {
    for (const [baseUrl, expected] of [
      ["https://pets.example.org", "https://pets.example.org/v1/pets?"],
      ["https://pets.example.org//v1/", "https://pets.example.org//v1/pets?"],
      ["https://pets.example.org/shop/v1", "https://pets.example.org/shop/v1/pets?"],
      ["https://pets.example.org/shop-v1", "https://pets.example.org/shop-v1/v1/pets?"],
      ["https://v1", "https://v1/v1/pets?"],
      ["https://v1/", "https://v1/v1/pets?"],
      ["https://v1/v1", "https://v1/v1/pets?"]
    ] as const) {
      const urls: Array<string> = []
      const fetch = async (url: string) => {
        urls.push(url)
        return Response.json([])
      }
      await createPetStore({ baseUrl, apiKey: "key", fetch }).pets.list()
      expect(urls).toEqual([expected])
    }
  })

  it("sends requests that it has no method for, with the same retries, errors and options", async () => {
    const { requests, url: baseUrl } = await startProxy([refuse(503, "unavailable")])
    const { request } = createPetStore({ baseUrl, apiKey: keys.all })
    const raw = { name: "raw", path: "/pets", decode: (body: unknown) => body }
    expect(await request(raw)).toEqual([])
    expect(requests).toHaveLength(2)
    const nowhere = { ...raw, path: "/nowhere" }
    expect(await failure(request(nowhere))).toMatchObject({ code: "not_found" })
  })
})
