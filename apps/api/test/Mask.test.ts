import { describe, expect, it } from "@effect/vitest"
import * as KeyText from "@petstore/access/KeyText"
import { Redacted } from "effect"
import * as Mask from "../src/observe/Mask.ts"

const issued = KeyText.fromBytes(new Uint8Array(KeyText.randomBytes).fill(29)).text
const [short, long] = ["a-key-of-the-environment", "a-key-of-the-environment/and=More%41"]
const odd = String.raw`"quotes\and(brackets)"`
const mask = Mask.make([short, long, odd, issued.slice(0, 30)].map((key) => Redacted.make(key)))

const encoded = (text: string) =>
  Array.from(text, (character) => `%${character.charCodeAt(0).toString(16)}`).join("")

const forms: Readonly<Record<string, (key: string) => string>> = {
  "as it is": (key) => key,
  "in upper case": (key) => key.toUpperCase(),
  "percent-encoded": encoded,
  "percent-encoded three times": (key) =>
    encoded(key).replaceAll("%", "%2525").replaceAll("a", "A"),
  "encoded in one place": (key) => key.replace("e", "%2565"),
  "in JSON": (key) => JSON.stringify(key).slice(1, -1)
}

describe("a masked text", () => {
  for (const [name, form] of Object.entries(forms)) {
    it.each([short, long, odd])(`has no configured key ${name} (%s)`, (key) => {
      expect(mask(`{"path":"/${form(key)}/x"}`)).toBe('{"path":"/***/x"}')
    })

    it(`has no secret of an issued key ${name}`, () => {
      // The beginning of one of them is configured, too.
      for (const text of [issued, issued.replace("pet_t", "pet_s")]) {
        const [id = ""] = /^pet_[^_]*_/.exec(text) ?? []
        const shown = name.includes("encoded") ? id : form(id)
        expect(mask(`"/${form(text)}/x"`)).toBe(`"/${shown}***/x"`)
      }
    })
  }

  it("has none of two keys in a row", () => {
    for (const text of [short + short, short + long, long + short, short + odd]) {
      expect(mask(`/${text}`)).toBe("/******")
    }
  })

  it("has no user, password or query of a URL", () => {
    expect(mask("GET http://me:secret@host:1/path 404")).toBe("GET http://***@host:1/path 404")
    expect(mask("(POST https://host/traces?key=1)")).toBe("(POST https://host/traces?***")
    expect(mask("from postgres://me:1/secret@host/pets; read")).toBe("from postgres***; read")
    expect(mask(String.raw`{"path":"http://a:\"b@host/"}`)).toBe('{"path":"http://***@host/"}')
  })

  it.each([
    "serving http://127.0.0.1:3000 from postgres://***@host/pets; read http://[::1]:3000/docs",
    "serving http://127.0.0.1:3000 from postgres://***@host/pets?***; read http://[::1]:3000/docs",
    "at file:///node_modules/@petstore/api/dist/main.js?x:1:2",
    "/n%C3%B6thing/100%/pet_0123456789/petstore"
  ])("is the same if it has no secret: %s", (text) => {
    expect(mask(text)).toBe(text)
  })
})
