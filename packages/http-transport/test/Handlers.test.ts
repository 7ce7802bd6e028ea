import { expect, it } from "@effect/vitest"
import { idempotencyKeyOf } from "@petstore/http-transport/Handlers"

it("an idempotency key is that of one caller, also of one without an id", () => {
  const callers = [{}, { id: "same" }].flatMap((id) =>
    ["a", "b"].map((digest) => ({ ...id, digest, scopes: [] }))
  )
  const keys = callers.map((caller) => idempotencyKeyOf(caller, "k"))
  // Only the digest makes a caller.
  expect([keys[0] === keys[2], keys[1] === keys[3], keys[0] === keys[1]]).toEqual([
    true,
    true,
    false
  ])
  // A key does not begin where a digest ends: both are of any length.
  const longer = { digest: "ak", scopes: [] }
  expect(idempotencyKeyOf(longer, "ey")).not.toBe(
    idempotencyKeyOf({ ...longer, digest: "a" }, "key")
  )
})
