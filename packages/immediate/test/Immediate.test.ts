import { describe, expect, it } from "@effect/vitest"
import * as Immediate from "@petstore/immediate/Immediate"
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

  it("is evaluated without a fiber, as are outcomes, and nothing else is", () => {
    expect(Immediate.evaluate(Immediate.make(() => Exit.succeed(1)))).toEqual(Exit.succeed(1))
    expect(Immediate.evaluate(Effect.fail("no"))).toEqual(Exit.fail("no"))
    expect(Immediate.evaluate(Effect.sync(() => 1))).toBeUndefined()
  })

  it.effect("stays one when its outcome is mapped", () =>
    Effect.gen(function* () {
      const map = <A, E>(effect: Effect.Effect<A, E>) =>
        Immediate.mapBoth(effect, {
          onFailure: (error) => `not ${error}`,
          onSuccess: (value) => `is ${value}`
        })
      const one = map(Immediate.make(() => Exit.succeed(1)))
      expect(Immediate.evaluate(one)).toEqual(Exit.succeed("is 1"))
      expect(yield* one).toBe("is 1")
      expect(Immediate.evaluate(map(Effect.fail("low")))).toEqual(Exit.fail("not low"))
      const waiting = map(Effect.as(Effect.yieldNow(), 1))
      expect(Immediate.evaluate(waiting)).toBeUndefined()
      expect(yield* waiting).toBe("is 1")
    })
  )
})
