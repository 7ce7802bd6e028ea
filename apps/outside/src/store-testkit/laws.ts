/** Checks the laws of the testkit without vitest. */
import * as MemoryPetStore from "@petstore/store-memory/MemoryPetStore"
import * as Laws from "@petstore/store-testkit/Laws"
import * as Effect from "effect/Effect"

const place = Effect.succeed(MemoryPetStore.layer)

await Effect.runPromise(Effect.forEach(Laws.laws, (law) => law.check(place), { discard: true }))
process.stdout.write(`${Laws.laws.length} laws`)
