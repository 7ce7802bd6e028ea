import { describe, expect, it } from "@effect/vitest"
import { reportDeprecations } from "@petstore/http-client"
import { collect, failure, open } from "./support/Clients.ts"
import { startProxy } from "./support/Proxy.ts"

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
    const all = await collect(pets.all({ limit: 50 }))
    expect(all.map(({ categoryId, name }) => ({ name, categoryId }))).toEqual(expected)
  })

  it("follows pages to the end, from any page", async () => {
    const pets = open(await start())
    for (let n = 1; n <= 7; n++)
      await pets.add({ name: `pet ${n}`, categoryId: n, status: n % 2 ? "sold" : "pending" })
    const ids = async (query: Parameters<typeof pets.list>[0]) => {
      const all = pets.all(query)
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
  })

  it("reports a deprecated operation once", async () => {
    const notices: Array<unknown> = []
    const pets = open({
      ...(await start()),
      onResponse: reportDeprecations((notice) => void notices.push(notice))
    })
    await pets.add({ name: "a", categoryId: 1 })
    await pets.list()
    expect(notices).toEqual([])
    await failure(pets.get(2))
    await pets.get(1)
    expect(notices).toEqual([
      { operation: "getPet", since: new Date("2026-11-14"), sunset: new Date("2030-12-05") }
    ])
  })
})

describe("reportDeprecations", () => {
  it("reports each operation once, though a date is missing", () => {
    const notices: Array<unknown> = []
    const report = reportDeprecations((notice) => void notices.push(notice))
    const see = (operation: string, headers: Record<string, string>) => {
      const request = { operation, attempt: 1, method: "GET", url: "", body: null } as const
      return report(new Response(null, { headers }), { ...request, headers: new Headers() })
    }
    for (const since of ["@1", "@2"]) {
      see("a", { deprecation: since })
      see("b", { sunset: "Thu, 01 Jan 1970 00:00:02 GMT" })
      see("c", { deprecation: "soon", sunset: "later" })
      see("d", { deprecation: "@8640000000001" })
      see("e", { deprecation: "@8640000000000" })
    }
    expect(notices).toEqual([
      { operation: "a", since: new Date(1000), sunset: undefined },
      { operation: "b", since: undefined, sunset: new Date(2000) },
      { operation: "e", since: new Date(8.64e15), sunset: undefined }
    ])
  })
})
