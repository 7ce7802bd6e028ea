/** The links of a service behind a proxy that strips a prefix from paths. */
import { describe, expect, it, scoped } from "@effect/vitest"
import * as Cursor from "@petstore/http-contract/Cursor"
import { Effect, TestClock } from "effect"
import { exchange } from "./support/Connection.ts"
import * as Harness from "./support/Harness.ts"
import { create, type Request } from "./support/Request.ts"
import { headerOf, nextOf } from "./support/Response.ts"

const service = Harness.layer({ server: { basePath: "/shop/v1" } })

/** Sends a request as the proxy does, which has nothing outside its prefix. */
const throughProxy = (request: Request) => {
  expect(request.target).toMatch(/^\/shop\//)
  return exchange({ ...request, target: request.target.slice("/shop".length) })
}

describe("behind a prefix", () => {
  it.scopedLive("links lead through all pages, and to what was added", () =>
    Effect.gen(function* () {
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
    }).pipe(Effect.provide(service))
  )

  it.scopedLive("the index links to all there is, and sends browsers to the docs", () =>
    Effect.gen(function* () {
      const { links } = JSON.parse((yield* throughProxy({ target: "/shop/" })).body)
      for (const [name, target] of Object.entries<string>(links))
        expect([name, (yield* throughProxy({ target })).status]).toEqual([name, 200])
      const browser = yield* throughProxy({ target: "/shop/", headers: ["Accept: text/html"] })
      expect([browser.status, headerOf(browser, "Location")]).toEqual([303, "/shop/docs"])
    }).pipe(Effect.provide(service))
  )

  scoped("what replaces a removed operation has the prefix, too", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2030, 11, 5))
      const gone = yield* throughProxy({ target: "/shop/v1/pets/1" })
      expect(gone.body).toContain("use /shop/v1/pets instead")
      expect(headerOf(gone, "Link")).toBe('</shop/v1/pets>; rel="successor-version"')
    }).pipe(Effect.provide(service))
  )
})
