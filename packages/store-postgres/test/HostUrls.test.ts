import { describe, expect, it } from "@effect/vitest"
import * as HostUrls from "../src/internal/HostUrls.ts"

const end = "/pets?sslmode=disable"

describe("the hosts of a URL", () => {
  it.each([
    ["a", ["a"]],
    ["a,b", ["a", "b"]],
    ["a:1,b:2", ["a:1", "b:2"]],
    ["a:1,b", ["a:1", "b"]],
    ["[::1]:1,[fe80::1],10.0.0.1:3", ["[::1]:1", "[fe80::1]", "10.0.0.1:3"]],
    ["me:a,b%40@c:1,d", ["me:a,b%40@c:1", "me:a,b%40@d"]],
    ["me:a@b,c@d:1,e", ["me:a@b,c@d:1", "me:a@b,c@e"]],
    ["%2Frun%2Fpostgresql", ["%2Frun%2Fpostgresql"]]
  ])("%s are %s, each with the rest of the URL", (hosts, expected) => {
    expect(HostUrls.parse(`postgres://${hosts}${end}`).urls).toEqual(
      expected.map((host) => `postgres://${host}${end}`)
    )
  })

  it("may be parameters", () => {
    const { urls } = HostUrls.parse("postgres://me@/pets?host=a,b&port=1,2&sslmode=disable")
    expect(urls).toEqual([
      "postgres://me@/pets?host=a&port=1&sslmode=disable",
      "postgres://me@/pets?host=b&port=2&sslmode=disable"
    ])
    expect(HostUrls.parse("postgres:///pets?host=a%2Cb%2cc&port=1").urls).toEqual([
      "postgres:///pets?host=a&port=1",
      "postgres:///pets?host=b&port=1",
      "postgres:///pets?host=c&port=1"
    ])
    expect(HostUrls.parse("postgres://me@c:7/pets?host=a,b").urls).toEqual([
      "postgres://me@c:7/pets?host=a",
      "postgres://me@c:7/pets?host=b"
    ])
    // Only the whole name of a parameter counts, and no value has a special meaning.
    expect(HostUrls.parse("postgres:///pets?ghost=x,y,z&port=1,2&host=$$,$`").urls).toEqual([
      "postgres:///pets?ghost=x,y,z&port=1&host=$$",
      "postgres:///pets?ghost=x,y,z&port=2&host=$`"
    ])
    expect(() => HostUrls.parse("postgres:///pets?host=a,b,c&port=1,2")).toThrow("2 ports for 3")
  })
})

describe("target_session_attrs", () => {
  it.each([
    ["a/pets", false],
    ["a/pets?target_session_attrs=any", false],
    ["a/pets?target_session_attrs=read-write", true],
    ["a/pets?target_session_attrs=primary", true],
    ["a,b/pets", true],
    ["a,b/pets?target_session_attrs=primary", true]
  ])("of %s asks hosts which is the primary: %s", (rest, isAsked) => {
    expect(HostUrls.parse(`postgres://${rest}`)).toMatchObject({ isAsked })
  })

  it("is one of those that serve a service that writes", () => {
    for (const attribute of ["standby", "prefer-standby", ""]) {
      const url = `postgres://a/pets?x=1&target_session_attrs=${attribute}`
      expect(() => HostUrls.parse(url)).toThrow(/must be one of any, read-write, primary$/)
    }
    const several = "postgres://a,b/pets?target_session_attrs=any"
    expect(() => HostUrls.parse(several)).toThrow(/must be one of read-write, primary$/)
  })
})
