/** The links of a service behind a proxy that strips a prefix from paths. */
import { describe, expect } from "@effect/vitest"
import * as Cursor from "@petstore/http-transport/Cursor"
import { Effect } from "effect"
import { headerOf, nextOf } from "../../http-transport/test/support/Response.ts"
import { exchange } from "./support/Conformance.ts"
import { create, type Request } from "./support/Request.ts"
import { served } from "./support/Served.ts"

const inShop = served({ server: { basePath: "/shop/v1" } })

/** Sends a request as the proxy does, which has nothing outside its prefix. */
const throughProxy = (request: Request) => {
  expect(request.target).toMatch(/^\/shop\//)
  return exchange({ ...request, target: request.target.slice("/shop".length) })
}

describe("behind a prefix", () => {
  inShop("links lead through all pages, and to what was added", function* () {
    for (const n of [1, 2, 3, 4, 5]) {
      const request = create(`{"name":"n${n}","categoryId":1,"status":"sold"}`)
      const created = yield* throughProxy({ ...request, target: "/shop/v1/pets" })
      const location = headerOf(created, "Location") ?? ""
      expect(location).toBe(`/shop/v1/pets/${n}`)
      const found = yield* throughProxy({ target: location })
      expect([found.status, found.body]).toEqual([200, created.body])
      expect(headerOf(found, "Link")).toBe('</shop/v1/pets>; rel="successor-version"')
    }
    const links: Array<string> = []
    const names: Array<string> = []
    let next: string | undefined = "/shop/v1/pets?limit=2&status=sold"
    while (next !== undefined) {
      links.push(next)
      const page: Effect.Effect.Success<ReturnType<typeof exchange>> = yield* throughProxy({
        target: next
      })
      names.push(...Array.from(page.body.matchAll(/"name":"(\w+)"/g), ([, name = ""]) => name))
      next = nextOf(page)
    }
    expect(names).toEqual(["n1", "n2", "n3", "n4", "n5"])
    expect(links[1]).toBe(`/shop/v1/pets?limit=2&status=sold&cursor=${Cursor.encode(2n)}`)
  })
})
