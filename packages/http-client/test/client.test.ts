import { describe, expect, it } from "@effect/vitest"
import {
  createPetStore,
  InvalidInput,
  isPetStoreError,
  type NewPet,
  PetNotFound
} from "@petstore/http-client"
import { collect, failure, forms } from "./support/Forms.ts"
import { startProxy } from "./support/Proxy.ts"
import { keys, startService } from "./support/Service.ts"

type Call = () => PromiseLike<unknown>

describe.each(forms)("the client with $form", ({ open }) => {
  it("creates, gets and lists pets", async () => {
    const pets = open({ baseUrl: await startService() })
    const rex = { id: 1n, name: "Rex", categoryId: 1n, status: "available" }
    const tom = { id: 2n, name: "Tom", categoryId: 2n }
    expect(await pets.create({ name: "Rex", categoryId: 1, status: "available" })).toEqual(rex)
    expect(await pets.create({ name: "Tom", categoryId: 2n })).toEqual(tom)
    expect(await pets.get(1)).toEqual(rex)
    expect(await pets.get(2n)).toStrictEqual(tom)
    expect(await pets.list()).toStrictEqual({ pets: [rex, tom], next: undefined })
    expect(await pets.list({ status: "sold" })).toEqual({ pets: [], next: undefined })
  })

  it("keeps integers exact and texts unchanged in both directions", async () => {
    const pets = open({ baseUrl: await startService() })
    const categories = [
      ...[0n, -1n, 9007199254740991n, 9007199254740993n, -9007199254740993n],
      ...[9223372036854775807n, -9223372036854775808n]
    ]
    const names = [
      ...["12345678901234567890", '"id":9007199254740993,', '\\"1234567890123456\\', "n1", "s1"],
      ...["\u2028\t\n", "犬 \u{1F415}", "1234567890123456: [1]"]
    ]
    const expected = categories.flatMap((categoryId) => names.map((name) => ({ name, categoryId })))
    for (const pet of expected) expect(await pets.create(pet)).toMatchObject(pet)
    const all = await collect(pets.all({ limit: 50 }))
    expect(all.map(({ categoryId, name }) => ({ name, categoryId }))).toEqual(expected)
  })

  it("follows pages to the end, from any page", async () => {
    const pets = open({ baseUrl: await startService() })
    for (let n = 1; n <= 7; n++)
      await pets.create({ name: `pet ${n}`, categoryId: n, status: n % 2 ? "sold" : "pending" })
    const ids = async (query: Parameters<typeof pets.list>[0]) =>
      (await collect(pets.all(query))).map(({ id }) => Number(id))
    expect(await ids({ limit: 3 })).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(await ids({ limit: 2, status: "sold" })).toEqual([1, 3, 5, 7])
    const page = await pets.list({ limit: 2 })
    expect(page.pets.map(({ id }) => id)).toEqual([1n, 2n])
    expect(await ids({ limit: 2, after: page.next })).toEqual([3, 4, 5, 6, 7])
  })

  it("stops asking for pages when the caller stops reading", async () => {
    const proxy = await startProxy(await startService())
    const pets = open({ baseUrl: proxy.url })
    for (let n = 1; n <= 5; n++) await pets.create({ name: "a", categoryId: n })
    const before = proxy.requests.length
    for await (const pet of pets.all({ limit: 1 })) if (pet.id === 2n) break
    expect(proxy.requests.length - before).toBe(2)
  })

  it("fails with the error of the service's code", async () => {
    const baseUrl = await startService({ maxBodyBytes: 1000 })
    const pets = open({ baseUrl })
    const pet = { name: "a", categoryId: 1 }
    const cases: ReadonlyArray<readonly [Call, string, string, number]> = [
      [() => pets.get(404), "PetNotFound", "pet_not_found", 404],
      [() => pets.list({ after: "damaged" }), "InvalidParameter", "invalid_parameter", 400],
      [
        () => pets.create({ ...pet, name: "a".repeat(1000) }),
        "PayloadTooLarge",
        "payload_too_large",
        413
      ],
      [() => open({ baseUrl, apiKey: "other" }).list(), "Unauthorized", "unauthorized", 401],
      [() => open({ baseUrl, apiKey: keys.read }).create(pet), "Forbidden", "forbidden", 403],
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

  it("refuses invalid inputs before it sends anything", async () => {
    const proxy = await startProxy("")
    const pets = open({ baseUrl: proxy.url })
    const pet = { name: "a", categoryId: 1 }
    const create = (wrong: object) => pets.create({ ...pet, ...wrong } as NewPet)
    const range = "must be between -9223372036854775808 and 9223372036854775807"
    const inexact = "must be given as a bigint: a number of this size is not exact"
    const cases: ReadonlyArray<readonly [Call, string]> = [
      [() => create({ name: "" }), "name must not be empty"],
      [() => create({ name: 1 }), "name must be a string"],
      [() => create({ name: "\ud800" }), "name must not contain U+0000 or lone surrogates"],
      [() => create({ name: "a\0" }), "name must not contain U+0000 or lone surrogates"],
      [() => create({ categoryId: 1.5 }), "categoryId must be an integer"],
      [() => create({ categoryId: "1" }), "categoryId must be an integer"],
      [() => create({ categoryId: 2 ** 53 }), `categoryId ${inexact}`],
      [() => create({ categoryId: 2n ** 63n }), `categoryId ${range}`],
      [() => create({ status: "gone" }), "status must be one of available, pending, sold"],
      [() => create({ status: null }), "status must be one of available, pending, sold"],
      [() => pets.create(null as unknown as NewPet), "the pet must be an object"],
      [() => pets.get(-(2n ** 63n) - 1n), `id ${range}`],
      [() => pets.get(Number.NaN), "id must be an integer"],
      [() => pets.list({ limit: 0 }), "limit must be a whole number from 1 to 100"],
      [() => pets.list({ limit: 101 }), "limit must be a whole number from 1 to 100"],
      [() => pets.list({ after: "" }), "after must be the next of a page"],
      [
        () => pets.create(pet, { idempotencyKey: "" }),
        'idempotencyKey must be 1 to 255 visible ASCII characters without " and \\'
      ],
      [() => pets.list({}, { timeout: 0 }), "timeout must be a whole number from 1 to 2147483647"],
      [() => pets.list({}, { retries: -1 }), "retries must be a whole number from 0 to 100"]
    ]
    for (const [call, message] of cases) {
      const error = await failure(call())
      expect(error).toBeInstanceOf(InvalidInput)
      expect(error).toMatchObject({ code: "invalid_input", message, status: undefined })
    }
    expect(await failure(pets.list({}, { headers: { "a b": "c" } }))).toMatchObject({
      code: "invalid_input",
      message: expect.stringMatching(/^headers must be valid: /)
    })
    expect(proxy.requests).toEqual([])
  })

  it("calls a service behind a path prefix, with or without the version", async () => {
    const service = await startService()
    const proxy = await startProxy((path, init) =>
      fetch(`${service}${path.replace(/^\/my\/shop/, "")}`, init)
    )
    for (const prefix of ["/my/shop", "/my/shop/", "/my/shop/v1", "/my/shop/v1/"]) {
      const pets = open({ baseUrl: proxy.url + prefix })
      await pets.create({ name: prefix, categoryId: 1 })
    }
    const pets = open({ baseUrl: `${proxy.url}/my/shop` })
    expect(await collect(pets.all({ limit: 1 }))).toHaveLength(4)
    expect(proxy.requests.every(({ url }) => url?.startsWith("/my/shop/v1/pets"))).toBe(true)
  })

  it("sends the caller's headers, but for its own, and shows the raw response", async () => {
    const pets = open({ baseUrl: await startService() })
    const seen: Array<Response> = []
    await pets.list(
      {},
      {
        headers: { "X-Request-Id": "my-request", Authorization: "Bearer other" },
        onResponse: (response) => void seen.push(response)
      }
    )
    expect(seen.map(({ headers, status }) => [status, headers.get("x-request-id")])).toEqual([
      [200, "my-request"]
    ])
    const error = await failure(pets.get(1, { headers: { "x-request-id": "mine" } }))
    expect(error).toHaveProperty("requestId", "mine")
  })

  it("reports a deprecated operation once", async () => {
    const notices: Array<unknown> = []
    const pets = open({
      baseUrl: await startService(),
      onDeprecated: (notice) => void notices.push(notice)
    })
    await pets.create({ name: "a", categoryId: 1 })
    await pets.list()
    expect(notices).toEqual([])
    await failure(pets.get(2))
    await pets.get(1)
    expect(notices).toEqual([
      { operation: "getPet", since: new Date("2026-11-14"), sunset: new Date("2030-12-05") }
    ])
  })
})

describe("createPetStore", () => {
  it("lists the first page, all pages or all pets", async () => {
    const { pets } = createPetStore({ baseUrl: await startService(), apiKey: keys.all })
    for (let n = 1; n <= 5; n++) await pets.create({ name: "a", categoryId: n })
    const list = pets.list({ limit: 2 })
    const pages = await collect(list.pages())
    expect(pages.map(({ pets }) => pets.map(({ id }) => Number(id)))).toEqual([[1, 2], [3, 4], [5]])
    expect(await list).toEqual(pages[0])
    expect(await collect(list)).toEqual(pages.flatMap(({ pets }) => pets))
    expect(await failure(collect(pets.list({ limit: 0 })))).toBeInstanceOf(InvalidInput)
  })

  it("refuses invalid options, without repeating the key", () => {
    const valid = { baseUrl: "https://pets.example.org", apiKey: "key" }
    const url = "baseUrl must be a URL such as https://pets.example.org/v1"
    for (const [wrong, message] of [
      [{ baseUrl: "pets.example.org" }, url],
      [{ baseUrl: "ftp://pets.example.org" }, url],
      [{ baseUrl: "https://me:secret@pets.example.org" }, url],
      [{ baseUrl: "https://pets.example.org?a" }, url],
      [{ baseUrl: "https://[" }, url],
      [{ apiKey: "" }, "apiKey must be an API key without spaces"],
      [{ apiKey: "a secret" }, "apiKey must be an API key without spaces"],
      [{ apiKey: "a\r\nb: c" }, "apiKey must be an API key without spaces"],
      [{ timeout: 1.5 }, "timeout must be a whole number from 1 to 2147483647"]
    ] as const) {
      expect(() => createPetStore({ ...valid, ...wrong })).toThrow(new InvalidInput(message))
    }
  })
})
