import { describe, expect, it } from "@effect/vitest"
import {
  createPetStore,
  InvalidInput,
  isPetStoreError,
  type NewPet,
  PetNotFound
} from "@petstore/http-client"
import { collect, failure, open } from "./support/Clients.ts"
import { keys, startProxy } from "./support/Proxy.ts"

type Call = () => PromiseLike<unknown>

describe("the client, of a service", () => {
  it("stops asking for pages when the caller stops reading", async () => {
    const proxy = await startProxy()
    const pets = open({ baseUrl: proxy.url })
    for (let n = 1; n <= 5; n++) await pets.add({ name: "a", categoryId: n })
    const before = proxy.requests.length
    for await (const pet of pets.all({ limit: 1 })) if (pet.id === 2n) break
    expect(proxy.requests.length - before).toBe(2)
  })

  it("fails with the error of the service's code", async () => {
    const { url: baseUrl } = await startProxy()
    const pets = open({ baseUrl })
    const pet = { name: "a", categoryId: 1 }
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
      expect(error).toHaveProperty("requestId", expect.stringMatching(/^[\w.-]+$/))
    }
    const error = await failure(pets.get(404))
    expect(error).toBeInstanceOf(PetNotFound)
    expect(error).toHaveProperty("message", "there is no pet 404")
  })

  it("calls a service behind a path prefix, with or without the version", async () => {
    // Whether the service knows the prefix or not.
    for (const basePath of ["/my/shop/v1", "/v1"]) {
      const proxy = await startProxy([], { baseUrl: "http://pets.test/my/shop", basePath })
      for (const prefix of ["/my/shop", "/my/shop/", "/my/shop/v1", "/my/shop/v1/"]) {
        const pets = open({ baseUrl: proxy.url + prefix })
        await pets.add({ name: prefix, categoryId: 1 })
      }
      const pets = open({ baseUrl: `${proxy.url}/my/shop` })
      expect(await collect(pets.all({ limit: 1 }))).toHaveLength(4)
      expect(proxy.requests.every(({ url }) => url?.startsWith("/my/shop/v1/pets"))).toBe(true)
    }
  })
})

describe("the client", () => {
  it("refuses invalid inputs before it sends anything", async () => {
    const proxy = await startProxy()
    const pets = open({ baseUrl: proxy.url })
    const pet = { name: "a", categoryId: 1 }
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
      [() => create({ status: null }), "status must be one of available, pending, sold"],
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
      const all = pets.all({}, { headers: { "X-Team": "a" } })
      expect(await failure(collect(all))).toMatchObject({
        code: "invalid_answer",
        message: expect.stringMatching(/: the next page must not be an earlier one$/)
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

describe("createPetStore", () => {
  it("lists the first page, all pages or all pets", async () => {
    const { pets } = createPetStore({ baseUrl: (await startProxy()).url, apiKey: keys.all })
    for (let n = 1; n <= 5; n++) await pets.add({ name: "a", categoryId: n })
    const list = pets.list({ limit: 2 })
    const pages = await collect(list.pages())
    expect(pages.map(({ pets }) => pets.map(({ id }) => Number(id)))).toEqual([[1, 2], [3, 4], [5]])
    expect(await list).toEqual(pages[0])
    expect(await collect(list)).toEqual(pages.flatMap(({ pets }) => pets))
    expect(await failure(collect(pets.list({ limit: 0 })))).toBeInstanceOf(InvalidInput)
  })

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

  it("does not end the process if a list that would fail is not read", async () => {
    const unhandled: Array<unknown> = []
    const note = (error: unknown) => void unhandled.push(error)
    process.on("unhandledRejection", note)
    const fetch = () => Promise.reject(new Error("no network"))
    const { pets } = createPetStore({
      baseUrl: "http://pets.test",
      apiKey: "key",
      fetch,
      retries: 0
    })
    const lists = [pets.list(), pets.list(), pets.list()] as const
    pets.list({ limit: 0 })
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
    const [first, second, third] = lists
    for (const read of [() => first, () => collect(second), () => collect(third.pages())])
      expect(await failure(read())).toMatchObject({ code: "network_failure" })
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
})
