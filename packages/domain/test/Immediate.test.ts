import { describe, expect, it } from "@effect/vitest"
import * as Immediate from "@petstore/domain/Immediate"
import { Effect, Exit } from "effect"

describe("an immediate effect", () => {
  it.effect("is run by a fiber like any other, anew each time", () =>
    Effect.gen(function* () {
      let runs = 0
      const effect = Immediate.make(() => Exit.succeed(++runs))
      expect(runs).toBe(0)
      expect(yield* effect).toBe(1)
      expect(yield* Effect.map(effect, (value) => value * 10)).toBe(20)
      const failing = Immediate.make(() => Exit.fail("no"))
      expect(yield* Effect.flip(failing)).toBe("no")
      const dying = Immediate.make(() => {
        throw new Error("oh")
      })
      expect(Exit.isFailure(yield* Effect.exit(dying))).toBe(true)
    })
  )

  it("is evaluated on the spot, as are outcomes, and nothing else is", () => {
    expect(Immediate.evaluate(Immediate.make(() => Exit.succeed(1)))).toEqual(Exit.succeed(1))
    expect(Immediate.evaluate(Effect.fail("no"))).toEqual(Exit.fail("no"))
    expect(Immediate.evaluate(Effect.sync(() => 1))).toBeUndefined()
  })

  it.effect("stays one when something follows that is immediate too", () =>
    Effect.gen(function* () {
      const next = (value: number) => (value > 0 ? Exit.succeed(value + 1) : Exit.fail("low"))
      const one = Immediate.andThen(
        Immediate.make(() => Exit.succeed(1)),
        next
      )
      expect(Immediate.evaluate(one)).toEqual(Exit.succeed(2))
      expect(yield* one).toBe(2)
      const low = Immediate.andThen(
        Immediate.make(() => Exit.succeed(0)),
        next
      )
      expect(Immediate.evaluate(low)).toEqual(Exit.fail("low"))
      const waiting = Immediate.andThen(Effect.as(Effect.yieldNow(), 1), next)
      expect(Immediate.evaluate(waiting)).toBeUndefined()
      expect(yield* waiting).toBe(2)
    })
  )
})
