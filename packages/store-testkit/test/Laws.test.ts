import { describe, expect, it } from "@effect/vitest"
import { PetStore, writes } from "@petstore/domain/PetStore"
import * as Port from "@petstore/kernel/Port"
import { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import {
  durableLaws,
  keeping,
  laws,
  randomOperations,
  sharedLaws
} from "@petstore/store-testkit/Laws"
import { Effect, Layer } from "effect"
import { testLaws } from "./LawTests.ts"
import { wrongDisks } from "./wrongDisks.ts"
import { wrongImports } from "./wrongImports.ts"
import { wrongPets } from "./wrongPets.ts"

const wrongStores = [...wrongPets, ...wrongImports, ...wrongDisks]

const failure = new StoreUnavailable({ reason: "busy", cause: new Error("another holds a lock") })

testLaws({
  laws: [...laws, ...durableLaws, ...sharedLaws],
  wrongStores,
  failing: {
    place: Effect.succeed(
      Layer.sync(PetStore, () => Port.make<PetStore["Type"]>(writes, () => Effect.fail(failure)))
    ),
    failure
  },
  dying: {
    place: Effect.succeed(Layer.effect(PetStore, Effect.dieMessage("no such disk"))),
    message: "no such disk"
  }
})

describe("a broken law", () => {
  it.effect("says what caused the failure of a store", () =>
    Effect.gen(function* () {
      const place = Effect.succeed(Layer.effect(PetStore, failure))
      const error = yield* Effect.flip(keeping.idsAscend.check(place))
      expect(error.message).toContain("the store is busy, caused by Error: another holds a lock")
    })
  )

  const store = wrongStores.find((store) => store.how === "cannot count to four")

  it.live("reports the shortest failing sequence", () =>
    Effect.gen(function* () {
      const { law, place } = yield* Effect.orDie(Effect.fromNullable(store))
      const error = yield* Effect.flip(law.check(place))
      const list =
        /^{"list":{"limit":4,"filters":\["\w+"],"like":0,"after":undefined}}: the answer\.pets\[0]: /
      expect(error.message.split(" then ")).toEqual([
        expect.stringContaining(`the law "${randomOperations.name}" is broken: {"add":{"name":"`),
        expect.stringMatching(list)
      ])
      expect(error.message).toMatch(/expected {"id":"-2n",.*}, got "nothing"$/)
    })
  )
})
