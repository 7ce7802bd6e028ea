/** What a service sends is not trusted: its size, and the types of its errors. */
import { describe, expect, it } from "@effect/vitest"
import { failure, open } from "./support/Clients.ts"

const mebibyte = 2 ** 20
const unlike = "http://127.0.0.1:1/v1 did not answer as a Pet Store"

/** A body that never ends, and how much of it was read. */
const endless = () => {
  const chunk = new Uint8Array(mebibyte).fill(32)
  const state = { read: 0, isCancelled: false }
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        state.read += chunk.length
        controller.enqueue(chunk)
      },
      cancel: () => {
        state.isCancelled = true
      }
    },
    { highWaterMark: 0 }
  )
  return { body, state }
}

describe("an answer to the client", () => {
  it("is read up to 4 MiB", async () => {
    for (const status of [200, 400]) {
      const { body, state } = endless()
      let tries = 0
      const fetch = async () => {
        tries++
        return new Response(body, { status, headers: { "X-Request-Id": "a" } })
      }
      const error = await failure(open({ fetch }).list())
      expect(error).toMatchObject({ code: "invalid_answer", status, requestId: "a" })
      expect(error).toHaveProperty("message", `${unlike}: more than 4194304 bytes`)
      expect(tries).toBe(1)
      expect(state.read).toBeLessThanOrEqual(6 * mebibyte)
      expect(state.isCancelled).toBe(true)
    }
  })

  it("is read no further than its first piece while a hook sees it", async () => {
    const { body, state } = endless()
    let read: number | undefined
    const onResponse = async () => {
      // Time in which more could be.
      await new Promise((resolve) => setTimeout(resolve, 50))
      read = state.read
    }
    await failure(open({ fetch: async () => new Response(body), onResponse }).list())
    expect(read).toBeLessThanOrEqual(mebibyte)
  })

  it("may have the given size for one call, and not a byte more", async () => {
    const pets = open({
      fetch: async () => new Response('[{"id":1,"name":"Å","categoryId":1}]'),
      maxAnswerBytes: 1
    })
    expect(await pets.list({}, { maxAnswerBytes: 37 })).toMatchObject({ pets: [{ name: "Å" }] })
    const error = await failure(pets.list({}, { maxAnswerBytes: 36 }))
    expect(error).toMatchObject({ code: "invalid_answer" })
  })

  it("may be in pieces that cut a character", async () => {
    const bytes = new TextEncoder().encode('[{"id":1,"name":"Å🐕","categoryId":1}]')
    const body = new ReadableStream({
      start: (controller) => {
        for (const byte of bytes) controller.enqueue(new Uint8Array([byte]))
        controller.close()
      }
    })
    const pets = open({ fetch: async () => new Response(body) })
    expect(await pets.list()).toMatchObject({ pets: [{ name: "Å🐕" }] })
  })

  it.each([
    ['{"code":{"toString":1},"message":"no"}', "invalid_answer", `${unlike}: no`],
    ['{"code":1,"message":"no"}', "invalid_answer", `${unlike}: no`],
    ['{"code":"odd","message":"no"}', "unknown_error", "odd: no"],
    ['{"code":"odd","message":{"toString":1}}', "unknown_error", "odd: status 400"],
    ['{"code":"pet_not_found","message":[1]}', "pet_not_found", "status 400"],
    ['{"code":null,"message":null}', "invalid_answer", `${unlike}: status 400`],
    ["null", "invalid_answer", `${unlike}: status 400`]
  ])("has an error of strings only: %s", async (body, code, message) => {
    const pets = open({ fetch: async () => new Response(body, { status: 400 }) })
    expect(await failure(pets.get(1))).toMatchObject({ code, message })
  })

  it.each([
    [503, '{"code":"internal_error"}', "internal_error"],
    [503, '{"code":"odd"}', "unavailable"],
    [503, null, "unavailable"],
    [429, null, "rate_limited"],
    [501, null, "invalid_answer"],
    [505, null, "invalid_answer"],
    [204, null, "invalid_answer"],
    [304, null, "invalid_answer"]
  ])("has the error of its code, or else of its status: %i %s", async (status, body, code) => {
    const pets = open({ retries: 0, fetch: async () => new Response(body, { status }) })
    expect(await failure(pets.list())).toMatchObject({ code, status })
  })

  it("may be a redirect as browsers show it", async () => {
    // Its status is 0, and it has no headers.
    const opaque = Object.defineProperty(Response.error(), "type", { value: "opaqueredirect" })
    const pets = open({ fetch: async () => opaque })
    expect(await failure(pets.list())).toMatchObject({
      code: "invalid_answer",
      message: `${unlike}: status 0, a redirect`
    })
  })

  it.each([undefined, {}])("is read without a web stream: %j", async (value) => {
    const answer = Object.defineProperty(Response.json([]), "body", { value })
    const fetch = async () => answer
    expect(await open({ fetch }).list()).toMatchObject({ pets: [] })
  })
})
