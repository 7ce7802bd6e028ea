/** Laws about the greatest id there is: it can be imported, and a store that needs another is full. */

import { make } from "@petstore/domain/Idempotency"
import { PetStore } from "@petstore/domain/PetStore"
import * as Int64 from "@petstore/kernel/Int64"
import { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Effect from "effect/Effect"
import * as Law from "../Law.ts"
import { expectSame } from "../Mismatch.ts"
import { addOnce, expectRepeats, start } from "./AddOnce.ts"
import { addAll, expectHolds } from "./Contents.ts"
import { importInto, streamOf } from "./Import.ts"
import { imported, newPet, variousPets } from "./Samples.ts"

/** Expects an operation to fail because the store is full. */
const expectFull = <A, E>(what: string, operation: Effect.Effect<A, E>) =>
  operation.pipe(
    Effect.match({
      onFailure: (error) => (error instanceof StoreUnavailable ? error.reason : error),
      onSuccess: () => "none"
    }),
    Effect.flatMap((reason) => expectSame(`the failure of ${what}`, reason, "full"))
  )

/** Pets with an id do not need another, so they can still be imported; nor does an add that is repeated. */
const full = Law.make(
  "every positive int64 can be imported, and a store without ids left is full",
  Effect.gen(function* () {
    const store = yield* PetStore
    const once = yield* addOnce(newPet("Rex"), "key")
    const first = [once, ...(yield* addAll(variousPets(3)))]
    const last = imported(newPet("last"), Int64.max)
    const between = imported(newPet("between"), 1000n)
    const beforeLast = imported(newPet("before the last"), Int64.max - 1n)
    const rex = imported(newPet("Rex"))

    yield* expectFull(
      "an import that needs more ids than are left",
      store.addAll(streamOf([rex, beforeLast, rex]))
    )
    yield* expectHolds(first)
    const pets = yield* importInto(first, [last])
    yield* expectFull("an add", store.add(newPet("Rex")))
    yield* expectFull("an add with a key", store.addOnce(newPet("Rex"), make("new", start)))
    yield* expectRepeats(once, "key")
    yield* expectFull("an import that needs an id", store.addAll(streamOf([rex, between])))
    yield* expectHolds(pets)
    yield* importInto(pets, [between, beforeLast])
  })
)

/** The laws about the greatest id. */
export const laws = { full }
