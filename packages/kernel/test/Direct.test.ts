import { describe, expect, it } from "@effect/vitest"
import * as Direct from "@petstore/kernel/Direct"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { effect } from "./support/Steps.ts"

/** Starts an effect without a fiber, and collects what becomes of it. */
const start = <A, E>(effect: Effect.Effect<A, E>) => {
  const exits: Array<Exit.Exit<A, E>> = []
  const forked: Array<unknown> = []
  const cancel = Direct.start(
    () => effect,
    (exit) => exits.push(exit),
    (other) => {
      forked.push(other)
      return () => forked.push("cancelled")
    }
  )
  return { cancel, exits, forked }
}

/** An effect that completes when the test says so. */
const pending = () => {
  const seen: Array<string> = []
  let complete: Direct.Callback<number, string> = () => {}
  const effect = Direct.async<number, string>((callback) => {
    complete = callback
    seen.push("started")
    return () => seen.push("cancelled")
  })
  return { effect, seen, complete: (exit: Exit.Exit<number, string>) => complete(exit) }
}

const oh = () => {
  throw new Error("oh")
}
const died = Exit.die(new Error("oh"))
const map = <A, E>(effect: Effect.Effect<A, E>) =>
  Direct.mapBoth(effect, {
    onFailure: (error) => `not ${error}`,
    onSuccess: (value) => `is ${value}`
  })

describe("a direct effect", () => {
  effect("is run by a fiber like any other, each time", function* () {
    let runs = 0
    const effect = Direct.sync(() => Exit.succeed(++runs))
    expect(runs).toBe(0)
    expect(yield* effect).toBe(1)
    expect(yield* Direct.map(effect, (value) => value * 10)).toBe(20)
    expect(yield* Direct.flatMap(effect, (value) => Effect.as(Effect.yieldNow(), value))).toBe(3)
    expect(yield* Effect.flip(Direct.sync(() => Exit.fail("no")))).toBe("no")
    expect(yield* Effect.exit(Direct.sync(oh))).toEqual(died)
    const { complete, effect: later } = pending()
    const fiber = yield* Effect.fork(map(later))
    yield* Effect.yieldNow()
    complete(Exit.fail("five"))
    expect(yield* Effect.flip(Fiber.join(fiber))).toBe("not five")
  })

  effect("is cancelled when its fiber is interrupted", function* () {
    const { effect, seen } = pending()
    const fiber = yield* Effect.fork(Direct.flatMap(effect, Effect.succeed))
    yield* Effect.yieldNow()
    yield* Fiber.interrupt(fiber)
    expect(seen).toEqual(["started", "cancelled"])
  })

  it("is started without a fiber, as is an exit", () => {
    expect(start(Direct.sync(() => Exit.succeed(1))).exits).toEqual([Exit.succeed(1)])
    expect(start(Effect.fail("no")).exits).toEqual([Exit.fail("no")])
    const { complete, effect } = pending()
    const { exits } = start(effect)
    expect(exits).toEqual([])
    complete(Exit.succeed(5))
    expect(exits).toEqual([Exit.succeed(5)])
  })

  it("stays one when it is mapped, and when another follows", () => {
    expect(start(map(Direct.sync(() => Exit.succeed(1)))).exits).toEqual([Exit.succeed("is 1")])
    expect(start(map(Effect.fail("low"))).exits).toEqual([Exit.fail("not low")])
    const { complete, effect } = pending()
    const { exits, forked } = start(map(Direct.flatMap(effect, (value) => Effect.fail(value + 1))))
    complete(Exit.succeed(5))
    expect([exits, forked]).toEqual([[Exit.fail("not 6")], []])
  })

  it("skips what follows a failure or a defect", () => {
    for (const exit of [Exit.fail("no"), died]) {
      const one = Direct.sync<never, string>(() => exit)
      for (const skipped of [
        Direct.map(one, () => 1),
        Direct.flatMap(one, () => Exit.succeed(1))
      ]) {
        expect(start(skipped).exits).toEqual([exit])
      }
    }
  })

  it("turns what is thrown into a defect", () => {
    const one = Direct.sync(() => Exit.succeed(1))
    const effects = [
      Direct.sync(oh),
      Direct.async(oh),
      Direct.map(one, oh),
      Direct.flatMap(one, oh)
    ]
    for (const effect of effects) {
      expect(start(effect).exits).toEqual([died])
    }
  })

  it("cancels what is under way: first itself, then what follows it", () => {
    const [first, second] = [pending(), pending()]
    const { cancel } = start(map(Direct.flatMap(first.effect, () => second.effect)))
    cancel()
    expect(first.seen).toEqual(["started", "cancelled"])
    first.complete(Exit.succeed(1))
    cancel()
    expect(second.seen).toEqual(["started", "cancelled"])
  })
})

describe("any other effect", () => {
  effect("is given to the fork, even if it follows a direct one", function* () {
    const never = Effect.flatMap(Deferred.make<never>(), Deferred.await)
    const one = Direct.sync(() => Exit.succeed(1))
    for (const effect of [never, Direct.flatMap(one, () => never)]) {
      const { cancel, exits, forked } = start(effect)
      cancel()
      expect([exits, forked]).toEqual([[], [never, "cancelled"]])
    }
    const mapped = map(Effect.as(Effect.yieldNow(), 1))
    expect(start(mapped).forked).toEqual([mapped])
    expect(yield* mapped).toBe("is 1")
  })
})
