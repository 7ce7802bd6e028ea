import { expect, it } from "@effect/vitest"
import { KeyMaker } from "@petstore/access/KeyMaker"
import * as KeyText from "@petstore/access/KeyText"
import * as NodeKeyMaker from "@petstore/access/NodeKeyMaker"
import { Effect, Redacted } from "effect"

it("digests with SHA-256, in hexadecimal", () => {
  expect(NodeKeyMaker.digest("abc")).toBe(
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
  )
})

it.effect("makes another well-formed key each time, with its digest", () =>
  Effect.gen(function* () {
    const { make } = yield* KeyMaker
    const [one, other] = yield* Effect.all([make, make])
    expect(KeyText.isWellFormed(Redacted.value(one.text))).toBe(true)
    expect(one.digest).toBe(NodeKeyMaker.digest(Redacted.value(one.text)))
    expect(Redacted.value(one.text)).toContain(one.id)
    expect([other.id, other.digest]).not.toEqual([one.id, one.digest])
  }).pipe(Effect.provide(NodeKeyMaker.layer))
)
