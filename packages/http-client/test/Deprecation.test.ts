import { describe, expect, it } from "@effect/vitest"
import { reportDeprecations } from "@petstore/http-client"

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
